#pragma once

#include <cstddef>
#include <string>
#include <string_view>

/// Text of unknown origin, for a terminal.
namespace tacore::cli {

inline constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

/// For terminals and lines: control characters as \xNN, which could end a line or command the terminal, and invalid
/// bytes as U+FFFD.
std::string printable(std::string_view text);
/// The printable text in single quotes.
std::string in_quotes(std::string_view text);

/// Number of characters of well-formed text: its columns on a terminal, but for wide and combining ones.
std::size_t width(std::string_view text) noexcept;

}  // namespace tacore::cli
