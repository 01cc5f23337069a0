#include "tortilla/streaming/mrio_axes.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <utility>

#include "base/text.hpp"
#include "model/json_text.hpp"
#include "tacore/error.hpp"

namespace tacore {
namespace {

/// The text of the item `MD_METADATA`, with XML entities resolved.
std::string item_of(std::string_view xml) {
  const auto name = xml.find("name=\"MD_METADATA\"");
  const auto begin = name == xml.npos ? xml.npos : xml.find('>', name);
  if (begin == xml.npos) return {};
  std::string out(xml.substr(begin + 1, xml.find("</Item>", begin) - begin - 1));
  constexpr std::pair<std::string_view, char> kEntities[] = {
      {"&quot;", '"'}, {"&apos;", '\''}, {"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}};
  for (const auto& [entity, character] : kEntities) {
    for (auto at = out.find(entity); at != out.npos; at = out.find(entity, at + 1))
      out.replace(at, entity.size(), 1, character);
  }
  return out;
}

/// The JSON text of a member; "" when it is absent.
std::string_view member(std::string_view object, const std::string& name) {
  for (const auto& [key, text] : json_members(object)) {
    if (key != "\"" + name + "\"") continue;
    const auto colon = text.find(':', key.size());
    const auto begin = colon == text.npos ? colon : text.find_first_not_of(" \t\r\n", colon + 1);
    if (begin == text.npos) return {};
    return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
  }
  return {};
}

std::optional<int64_t> whole_number(std::string_view text) {
  int64_t out = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(out) : std::nullopt;
}

std::vector<std::string> words_of(std::string_view text) {
  auto out = split(text, ' ');
  std::erase(out, "");
  return out;
}

/// The names in the parentheses of `(time band) h w -> time band h w`, if the right side begins with them.
std::vector<std::string> folded_axes(std::string_view pattern) {
  const auto begin = pattern.find('('), end = pattern.find(')'), arrow = pattern.find("->");
  if (begin == pattern.npos || end == pattern.npos || arrow == pattern.npos || end < begin || arrow < end) return {};
  const auto folded = words_of(pattern.substr(begin + 1, end - begin - 1));
  const auto unfolded = words_of(pattern.substr(arrow + 2, pattern.find('"', arrow) - arrow - 2));
  const bool keep_order =
      unfolded.size() >= folded.size() && std::equal(folded.begin(), folded.end(), unfolded.begin());
  return keep_order ? folded : std::vector<std::string>();
}

}  // namespace

std::vector<int64_t> mrio_axes(std::string_view gdal_metadata, int bands) {
  const std::string item = item_of(gdal_metadata);
  if (item.empty()) return {};
  if (const auto depth = whole_number(member(item, "md:blockzsize")); depth.value_or(1) != 1) {
    throw SchemaError("MD_METADATA folds bands into space (md:blockzsize " + std::to_string(*depth) +
                      "), which is not supported");
  }
  std::vector<int64_t> out;
  int64_t product = 1;
  const auto lengths = member(item, "md:coordinates_len");
  for (const auto& axis : folded_axes(member(item, "md:pattern"))) {
    const int64_t length = whole_number(member(lengths, axis)).value_or(0);
    out.push_back(length);
    if (length < 1 || __builtin_mul_overflow(product, length, &product)) product = 0;
  }
  if (!out.empty() && product != bands) {
    throw FormatError("MD_METADATA: the product of its axis lengths is not the number of bands, " +
                      std::to_string(bands));
  }
  return out;
}

}  // namespace tacore
