#include <cstdint>
#include <optional>
#include <vector>

#include "base/text.hpp"

// Apart from text.cpp, which is also compiled for browsers, where each byte counts.
namespace tacore {

std::optional<std::vector<std::byte>> parse_base64(std::string_view text) {
  std::vector<std::byte> out;
  uint32_t group = 0, num_bits = 0;
  for (const char c : text.substr(0, text.find('='))) {
    const int digit = c >= 'A' && c <= 'Z'   ? c - 'A'
                      : c >= 'a' && c <= 'z' ? c - 'a' + 26
                      : is_digit(c)          ? c - '0' + 52
                      : c == '+'             ? 62
                      : c == '/'             ? 63
                                             : -1;
    if (digit < 0) return std::nullopt;
    group = group << 6 | static_cast<uint32_t>(digit);
    num_bits += 6;
    if (num_bits < 8) continue;
    num_bits -= 8;
    out.push_back(static_cast<std::byte>(group >> num_bits));
  }
  // Each text has one form: its padding, and zeros in the bits behind the last byte.
  return base64(out) == text ? std::optional(std::move(out)) : std::nullopt;
}

}  // namespace tacore
