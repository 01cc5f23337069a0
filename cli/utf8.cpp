#include "utf8.hpp"

#include <algorithm>

#include "base/utf8.hpp"

namespace tacore::cli {
namespace {

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

void append_escaped(std::string& out, char byte) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  const auto value = static_cast<unsigned char>(byte);
  out += "\\x";
  out += kDigits[value >> 4];
  out += kDigits[value & 0xF];
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t size = utf8_length(text);
    if (size == 0) {
      out += kReplacement;
    } else if (const auto character = text.substr(0, size); is_control(character)) {
      for (const char byte : character) append_escaped(out, byte);
    } else {
      out += character;
    }
    text.remove_prefix(std::max<std::size_t>(size, 1));
  }
  return out;
}

std::string in_quotes(std::string_view text) { return std::string("'").append(printable(text)).append("'"); }

std::size_t width(std::string_view text) noexcept {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return !is_continuation(c); }));
}

}  // namespace tacore::cli
