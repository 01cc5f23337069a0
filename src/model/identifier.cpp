#include "model/identifier.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "format/names.hpp"

namespace tacore {

namespace {

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }

}  // namespace

bool is_padding_id(std::string_view id) noexcept { return id.starts_with(names::kPadding); }

std::string why_unsafe_id(std::string_view id) {
  if (id.empty()) return "is empty";
  if (id == "." || id == "..") return "is reserved by file systems";
  if (id.find('/') != id.npos || id.find('\\') != id.npos) return "contains a slash";
  if (id.find('\0') != id.npos) return "contains a NUL byte";
  return "";
}

std::string why_bad_key(std::string_view key) {
  const auto is_word = [](std::string_view text, bool ascii) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
      const auto u = static_cast<unsigned char>(c);
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
             (!ascii && u >= 0x80);
    });
  };
  for (const std::string_view core : {"id", "type", "path"}) {
    if (key == core) return "is a core field";
  }
  if (key.starts_with(names::kInternal)) return "starts with internal:, which is reserved";
  const auto colon = key.find(':');
  const bool good = is_word(key.substr(0, colon), true) && (colon == key.npos || is_word(key.substr(colon + 1), false));
  if (!good || !is_utf8(key)) return "may contain only letters, digits and _, and one : inside";
  return "";
}

std::string why_bad_id(std::string_view id) {
  if (auto why = why_unsafe_id(id); !why.empty()) return why;
  if (id.find(':') != id.npos) return "contains a colon";
  if (std::any_of(id.begin(), id.end(), is_control)) return "contains a control character";
  if (!is_utf8(id)) return "is not UTF-8";
  if (id.starts_with("__") && !is_padding_id(id)) return "starts with __, which is reserved";
  return "";
}

}  // namespace tacore
