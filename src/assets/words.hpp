#pragma once

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.hpp"

namespace tacore::assets {

/// The words of a name or text: letters and digits between other characters, in lower case.
inline std::vector<std::string> words_of(const std::string& name) {
  std::vector<std::string> out(1);
  for (const char c : lower(name)) {
    if ((c >= 'a' && c <= 'z') || is_digit(c)) {
      out.back() += c;
    } else if (!out.back().empty()) {
      out.emplace_back();
    }
  }
  return out;
}

inline bool has_word(const std::vector<std::string>& words, std::initializer_list<std::string_view> wanted) {
  return std::ranges::any_of(words,
                             [&](const std::string& word) { return std::ranges::find(wanted, word) != wanted.end(); });
}

}  // namespace tacore::assets
