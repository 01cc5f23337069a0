#include "tortilla/pointer.hpp"

#include <algorithm>
#include <charconv>

#include "base/text.hpp"
#include "tacore/error.hpp"

namespace tacore::v1 {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";
constexpr std::size_t kWidest = 20;  // digits of 2^64 - 1

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(kBlanks);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

void skip_blanks(std::string_view& text) { text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size())); }

bool skip(std::string_view& text, std::string_view what) {
  if (!text.starts_with(what)) return false;
  text.remove_prefix(what.size());
  skip_blanks(text);
  return true;
}

/// Parses a decimal number and the blanks around it; nullopt for none and for more than 64 bits.
std::optional<uint64_t> take_number(std::string_view& text) {
  skip_blanks(text);
  uint64_t out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  skip_blanks(text);
  return out;
}

/// The text of the first member of this name, or nothing; a string without its quotes.
std::optional<std::string_view> member(std::string_view object, const std::string& name) {
  const std::string key = "\"" + name + "\"";
  for (auto at = object.find(key); at != object.npos; at = object.find(key, at + 1)) {
    std::string_view rest = object.substr(at + key.size());
    skip_blanks(rest);
    if (!skip(rest, ":")) continue;
    const bool is_string = rest.starts_with('"');
    if (is_string) rest.remove_prefix(1);
    return rest.substr(0, rest.find_first_of(is_string ? "\"" : ",}"));
  }
  return std::nullopt;
}

}  // namespace

std::string encode_pointer(const std::optional<ByteRange>& range) {
  if (!range) return "\"NULL\"";
  return "\"OFFSETLENGTH(" + std::to_string(range->offset) + ", " + std::to_string(range->size) + ")\"";
}

std::optional<ByteRange> parse_pointer(std::string_view text) {
  std::string_view value = trimmed(text);
  if (value.starts_with('{')) value = trimmed(member(value, kPointer).value_or(""));
  if (value.size() > 1 && value.starts_with('"') && value.ends_with('"'))
    value = trimmed(value.substr(1, value.size() - 2));
  const std::string folded = lower(value);
  if (folded.empty() || folded == "null") return std::nullopt;

  constexpr std::string_view kName = "offsetlength(";
  for (auto at = folded.find(kName); at != folded.npos; at = folded.find(kName, at + 1)) {
    std::string_view rest = std::string_view(folded).substr(at + kName.size());
    const auto offset = take_number(rest);
    if (!offset || !skip(rest, ",")) continue;
    const auto size = take_number(rest);
    if (size && rest.starts_with(')')) return ByteRange{*offset, *size};
  }
  throw FormatError("pointer is " + in_quotes(text) + "; OFFSETLENGTH(offset, length) or NULL expected");
}

std::string encode_footer_hint(ByteRange range) {
  const std::string size = std::to_string(range.size);
  return "{\"offset\": " + std::to_string(range.offset) + ", \"length\": " + std::string(kWidest - size.size(), ' ') +
         size + "}";
}

std::optional<ByteRange> parse_footer_hint(std::string_view text) {
  const auto number = [&](const char* name) -> std::optional<uint64_t> {
    auto value = member(text, name);
    if (!value) return std::nullopt;
    const auto out = take_number(*value);
    return value->empty() ? out : std::nullopt;
  };
  const auto offset = number("offset"), size = number("length");
  if (!offset || !size) return std::nullopt;
  return ByteRange{*offset, *size};
}

}  // namespace tacore::v1
