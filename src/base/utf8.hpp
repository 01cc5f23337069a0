#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

/// UTF-8 of unknown origin, character by character. Inline, because the tool shares it (scripts/check_layers.py).
namespace tacore {

/// Well-formed first bytes of a character (Unicode 15, table 3-7).
struct Utf8Lead {
  uint8_t first, last;
  std::size_t length;
  uint8_t second_first, second_last;  // narrower than 80..BF where overlong, surrogate or too high
};
inline constexpr Utf8Lead kUtf8Leads[] = {
    {0x00, 0x7F, 1, 0x00, 0x00}, {0xC2, 0xDF, 2, 0x80, 0xBF}, {0xE0, 0xE0, 3, 0xA0, 0xBF},
    {0xE1, 0xEC, 3, 0x80, 0xBF}, {0xED, 0xED, 3, 0x80, 0x9F}, {0xEE, 0xEF, 3, 0x80, 0xBF},
    {0xF0, 0xF0, 4, 0x90, 0xBF}, {0xF1, 0xF3, 4, 0x80, 0xBF}, {0xF4, 0xF4, 4, 0x80, 0x8F},
};

/// Number of bytes of the well-formed character at the start of `text`; 0 when there is none, or `text` is empty.
inline std::size_t utf8_length(std::string_view text) noexcept {
  const auto byte_at = [&](std::size_t i) { return static_cast<uint8_t>(text[i]); };
  for (const Utf8Lead& lead : kUtf8Leads) {
    if (text.size() < lead.length || byte_at(0) < lead.first || byte_at(0) > lead.last) continue;
    if (lead.length > 1 && (byte_at(1) < lead.second_first || byte_at(1) > lead.second_last)) return 0;
    for (std::size_t i = 2; i < lead.length; ++i) {
      if (byte_at(i) < 0x80 || byte_at(i) > 0xBF) return 0;
    }
    return lead.length;
  }
  return 0;
}

/// Whether a character, which is not empty, is C0, DEL or C1: what a terminal may obey instead of showing.
inline bool is_control(std::string_view character) noexcept {
  const auto first = static_cast<uint8_t>(character[0]);
  return first < 0x20 || first == 0x7F || (first == 0xC2 && static_cast<uint8_t>(character[1]) < 0xA0);
}

}  // namespace tacore
