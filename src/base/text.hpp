#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Text for messages, SQL and paths. The two sql_ functions are the only ways by which foreign text
/// enters SQL.
namespace tacore {

/// 'it''s': an SQL string literal. NUL bytes are refused with QueryError.
std::string sql_literal(std::string_view text);
/// "a ""b""": an SQL identifier. NUL bytes are refused with QueryError.
std::string sql_identifier(std::string_view name);

/// Foreign text for a message: in single quotes, control characters and invalid UTF-8 as \xNN. Of
/// longer text the whole characters in the first 120 bytes, and "..." after the closing quote.
std::string in_quotes(std::string_view text);

std::string join(std::span<const std::string> parts, std::string_view separator);
/// The inverse of join: one part more than there are separators, so "" is one empty part.
std::vector<std::string> split(std::string_view text, char separator);
/// Without the ASCII blanks at both ends.
std::string_view trimmed(std::string_view text) noexcept;
/// The bytes of a text.
inline std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}
/// True for 0 to 9.
constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
/// Changes ASCII letters only.
std::string lower(std::string_view text);
bool ends_with_ignoring_case(std::string_view text, std::string_view suffix);
/// True for well-formed UTF-8: no overlong form, no surrogate, nothing above U+10FFFF.
bool is_utf8(std::string_view text) noexcept;
/// Foreign text for a terminal, on one line: a space for each control character (C0, DEL, C1), `?` for bytes that are
/// not UTF-8.
std::string without_controls(std::string_view text);

/// `text` with each byte but letters, digits and -._~ as %XX (RFC 3986, 2.3); slashes stay with `keep_slash`.
std::string percent_encoded(std::string_view text, bool keep_slash);

/// The inverse: `%XX` becomes a byte; any other percent sign stays.
std::string percent_decoded(std::string_view text);

/// Base64 with padding (RFC 4648, 4).
std::string base64(std::span<const std::byte> bytes);
/// The inverse; nullopt for any other text.
std::optional<std::vector<std::byte>> parse_base64(std::string_view text);

}  // namespace tacore
