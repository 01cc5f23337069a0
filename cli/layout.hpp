#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Text arranged for a person.
namespace tacore::cli {

/// Columns of the terminal, from 60 to 120; 100 when standard output is none.
std::size_t terminal_width() noexcept;

std::vector<std::string> words(std::string_view text);

/// Fills lines with `items`, a space between; an item is never split.
std::vector<std::string> fill(const std::vector<std::string>& items, std::size_t line_width);

/// Six digits that count: "81.7061".
std::string short_number(double number);
/// "1,234,567".
std::string grouped(uint64_t number);
/// "1 row", "2 rows", "1,000 rows".
std::string count_of(uint64_t number, std::string_view noun);

/// Lines of columns: the first is aligned to the left, the others to the right; no blanks at their end.
std::string aligned(const std::vector<std::vector<std::string>>& rows);
/// The same, all aligned to the left.
std::string left_aligned(const std::vector<std::vector<std::string>>& rows);

}  // namespace tacore::cli
