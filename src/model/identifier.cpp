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
  if (id == "." || id == "..") return "is a folder of the file system";
  if (id.find('/') != id.npos || id.find('\\') != id.npos) return "contains a slash";
  if (id.find('\0') != id.npos) return "contains a NUL byte";
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
