#pragma once

#include <cstddef>
#include <string>
#include <string_view>

/// Text of unknown origin, character by character.
namespace tacore::cli {

inline constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

/// Bytes of the well-formed UTF-8 character that `text` starts with (no overlong form, no surrogate, nothing
/// above U+10FFFF); 0 when it starts with something else or is empty.
std::size_t character_size(std::string_view text) noexcept;

/// For terminals and lines: control characters as \xNN, which could end a line or command the terminal, and invalid
/// bytes as U+FFFD.
std::string printable(std::string_view text);
/// The same in single quotes.
std::string in_quotes(std::string_view text);

/// Number of characters of well-formed text: its columns on a terminal, but for wide and combining ones.
std::size_t width(std::string_view text) noexcept;

}  // namespace tacore::cli
