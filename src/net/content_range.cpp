#include "net/content_range.hpp"

#include <charconv>

#include "base/text.hpp"

namespace tacore::net {
namespace {

/// Removes a prefix from `text`; false when it starts with something else.
bool take(std::string_view& text, std::string_view prefix) noexcept {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

std::optional<uint64_t> take_number(std::string_view& text) noexcept {
  uint64_t out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return out;
}

/// Removes the unit `bytes`, in upper or lower case.
bool take_unit(std::string_view& text) {
  if (lower(text.substr(0, 6)) != "bytes ") return false;
  text.remove_prefix(6);
  while (text.starts_with(' ')) text.remove_prefix(1);
  return true;
}

/// A parameter of a media type; "" when there is none of this name.
std::string parameter(std::string_view type, std::string_view name) {
  for (const std::string& part : split(type, ';')) {
    std::string_view text = part;
    while (text.starts_with(' ')) text.remove_prefix(1);
    const auto equals = text.find('=');
    if (equals == text.npos || lower(text.substr(0, equals)) != name) continue;
    text.remove_prefix(equals + 1);
    if (text.size() >= 2 && text.starts_with('"') && text.ends_with('"')) text = text.substr(1, text.size() - 2);
    return std::string(text);
  }
  return {};
}

/// Removes a line with its line end, and returns it without.
std::optional<std::string_view> take_line(std::string_view& text) noexcept {
  const auto end = text.find('\n');
  if (end == text.npos) return std::nullopt;
  std::string_view line = text.substr(0, end);
  if (line.ends_with('\r')) line.remove_suffix(1);
  text.remove_prefix(end + 1);
  return line;
}

}  // namespace

std::string range_header(std::span<const ByteRange> ranges) {
  std::string out = "bytes=";
  for (const ByteRange& range : ranges) {
    if (!out.ends_with('=')) out += ',';
    out += std::to_string(range.offset) + "-" + std::to_string(range.offset + range.size - 1);
  }
  return out;
}

std::optional<ContentRange> parse_content_range(std::string_view text) noexcept {
  if (!take_unit(text)) return std::nullopt;
  const auto first = take_number(text);
  if (!first || !take(text, "-")) return std::nullopt;
  const auto last = take_number(text);
  if (!last || !take(text, "/")) return std::nullopt;
  const auto total = take_number(text);
  if (!total || !text.empty() || *last < *first || *last >= *total) return std::nullopt;
  return ContentRange{{*first, *last - *first + 1}, *total};
}

std::optional<uint64_t> parse_unsatisfied_range(std::string_view text) noexcept {
  if (!take_unit(text) || !take(text, "*/")) return std::nullopt;
  const auto total = take_number(text);
  return text.empty() ? total : std::nullopt;
}

std::optional<std::vector<BodyPart>> parse_parts(std::string_view content_type, std::span<const std::byte> body) {
  if (!lower(content_type).starts_with("multipart/byteranges")) return std::nullopt;
  const std::string boundary = parameter(content_type, "boundary");
  if (boundary.empty()) return std::nullopt;
  const std::string delimiter = "--" + boundary;
  std::string_view text(reinterpret_cast<const char*>(body.data()), body.size());
  std::vector<BodyPart> out;
  // The text before the first delimiter is ignored; between parts there is one line end.
  const auto begin = text.find(delimiter);
  if (begin == text.npos) return std::nullopt;
  text.remove_prefix(begin);
  while (take(text, delimiter)) {
    if (take(text, "--")) return out;
    if (const auto rest = take_line(text); !rest || rest->find_first_not_of(" \t") != rest->npos) return std::nullopt;
    std::optional<ContentRange> where;
    for (;;) {
      const auto line = take_line(text);
      if (!line) return std::nullopt;
      if (line->empty()) break;
      const auto colon = line->find(':');
      if (colon == line->npos || lower(line->substr(0, colon)) != "content-range") continue;
      std::string_view value = line->substr(colon + 1);
      while (value.starts_with(' ')) value.remove_prefix(1);
      where = parse_content_range(value);
    }
    if (!where || where->range.size > text.size()) return std::nullopt;
    const auto size = static_cast<std::size_t>(where->range.size);
    const auto offset = static_cast<std::size_t>(text.data() - reinterpret_cast<const char*>(body.data()));
    out.push_back({*where, body.subspan(offset, size)});
    text.remove_prefix(size);
    // Else the part has another length than it states.
    if (!take(text, "\r\n")) return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace tacore::net
