#include "base/text.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>

#include "base/utf8.hpp"
#include "tacore/error.hpp"

namespace tacore {
namespace {

constexpr std::size_t kMaxQuotedBytes = 120;

uint8_t byte_at(std::string_view text, std::size_t position) { return static_cast<uint8_t>(text[position]); }

void append_escaped(std::string& out, std::string_view bytes) {
  constexpr char kDigits[] = "0123456789abcdef";
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    out += "\\x";
    out += kDigits[byte_at(bytes, i) >> 4];
    out += kDigits[byte_at(bytes, i) & 15];
  }
}

/// `text` in quotation marks, with each one inside doubled.
std::string doubled(std::string_view text, char quote) {
  if (text.find('\0') != std::string_view::npos) {
    throw QueryError("text for SQL has a NUL byte: " + in_quotes(text));
  }
  std::string out(1, quote);
  for (const char c : text) {
    if (c == quote) out += quote;
    out += c;
  }
  return out + quote;
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

std::string sql_literal(std::string_view text) { return doubled(text, '\''); }

std::string sql_identifier(std::string_view name) { return doubled(name, '"'); }

std::string in_quotes(std::string_view text) {
  std::string out = "'";
  std::size_t position = 0;
  while (position < text.size()) {
    const auto rest = text.substr(position);
    const std::size_t length = utf8_length(rest);
    const auto character = rest.substr(0, std::max<std::size_t>(length, 1));
    if (position + character.size() > kMaxQuotedBytes) return out + "'...";
    if (length == 0 || is_control(character)) {
      append_escaped(out, character);
    } else {
      out += character;
    }
    position += character.size();
  }
  return out + "'";
}

std::string join(std::span<const std::string> parts, std::string_view separator) {
  std::string out;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) out += separator;
    out += parts[i];
  }
  return out;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> out;
  for (;;) {
    const auto end = text.find(separator);
    out.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return out;
    text.remove_prefix(end + 1);
  }
}

std::string_view trimmed(std::string_view text) noexcept {
  constexpr std::string_view kBlanks = " \t\r\n\v\f";
  const auto begin = text.find_first_not_of(kBlanks);
  return begin == text.npos ? "" : text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](char c) { return lower(c); });
  return out;
}

bool ends_with_ignoring_case(std::string_view text, std::string_view suffix) {
  if (text.size() < suffix.size()) return false;
  return lower(text.substr(text.size() - suffix.size())) == lower(suffix);
}

bool is_utf8(std::string_view text) noexcept {
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

std::string percent_encoded(std::string_view text, bool keep_slash) {
  constexpr std::string_view kPlain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    if (kPlain.find(c) != kPlain.npos || (keep_slash && c == '/')) {
      out += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      out += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
    }
  }
  return out;
}

std::string percent_decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned value = 0;
    const char* digits = text.data() + i + 1;
    if (text[i] == '%' && i + 2 < text.size() && std::from_chars(digits, digits + 2, value, 16).ptr == digits + 2) {
      out += static_cast<char>(value);
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

std::string base64(std::span<const std::byte> bytes) {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t num_bytes = std::min<std::size_t>(3, bytes.size() - i);
    uint32_t group = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      group = group << 8 | (j < num_bytes ? std::to_integer<uint32_t>(bytes[i + j]) : 0);
    }
    for (std::size_t j = 0; j < 4; ++j) {
      // n bytes fill n + 1 digits (RFC 4648, 4).
      out += j <= num_bytes ? kDigits[group >> (18 - 6 * j) & 63] : '=';
    }
  }
  return out;
}

std::string without_controls(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const auto character = text.substr(0, std::max<std::size_t>(length, 1));
    if (length == 0) {
      out += '?';
    } else {
      out += is_control(character) ? std::string_view(" ") : character;
    }
    text.remove_prefix(character.size());
  }
  return out;
}

}  // namespace tacore
