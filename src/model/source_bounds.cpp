#include "model/source_bounds.hpp"

#include "model/json_node.hpp"
#include "model/json_text.hpp"

namespace tacore {

using nlohmann::json;
using nlohmann::ordered_json;

namespace {

constexpr const char* kSources = "taco:sources";
constexpr const char* kBounds = "bounds";

ordered_json encode(const LevelBounds& level) {
  ordered_json places = ordered_json::object(), times = ordered_json::object();
  for (const auto& [column, box] : level.places) {
    places[column] = box ? ordered_json({box->minx, box->miny, box->maxx, box->maxy}) : ordered_json();
  }
  for (const auto& [column, time] : level.times) {
    times[column] = time ? ordered_json({time->start.microseconds, time->end.microseconds}) : ordered_json();
  }
  ordered_json out = {{"num_rows", level.num_rows}};
  if (level.ids) out["ids"] = {level.ids->first, level.ids->second};
  if (!places.empty()) out["places"] = std::move(places);
  if (!times.empty()) out["times"] = std::move(times);
  return out;
}

int64_t whole(const JsonNode& node) {
  if (!node.value().is_number_integer()) node.wrong("a whole number");
  return node.value().get<int64_t>();
}

/// The elements of an array of `size`.
std::vector<JsonNode> elements_of(const JsonNode& node, std::size_t size) {
  auto out = node.elements();
  if (out.size() != size)
    node.fail("has " + std::to_string(out.size()) + " elements, " + std::to_string(size) + " expected");
  return out;
}

std::optional<BBox> parse_box(const JsonNode& node) {
  if (node.is_null()) return std::nullopt;
  const auto sides = elements_of(node, 4);
  const BBox out{sides[0].number(), sides[1].number(), sides[2].number(), sides[3].number()};
  if (!out.valid() || out.minx > out.maxx) node.fail("is not a box");
  return out;
}

std::optional<TimeRange> parse_times(const JsonNode& node) {
  if (node.is_null()) return std::nullopt;
  const auto ends = elements_of(node, 2);
  const TimeRange out{{whole(ends[0])}, {whole(ends[1])}};
  if (out.start > out.end) node.fail("ends before it starts");
  return out;
}

LevelBounds parse_level(const JsonNode& node) {
  LevelBounds out{.num_rows = whole(node.object()["num_rows"])};
  if (out.num_rows < 0) node["num_rows"].fail("is negative");
  if (const auto ids = node["ids"]; !ids.is_null()) {
    const auto ends = elements_of(ids, 2);
    out.ids = {ends[0].text(), ends[1].text()};
    if (out.ids->first > out.ids->second) ids.fail("ends before it starts");
  }
  if (const auto places = node["places"]; !places.is_null()) {
    for (const auto& [column, box] : places.object().value().items()) {
      out.places.emplace(column, parse_box(places[column]));
    }
  }
  if (const auto times = node["times"]; !times.is_null()) {
    for (const auto& [column, time] : times.object().value().items()) {
      out.times.emplace(column, parse_times(times[column]));
    }
  }
  return out;
}

}  // namespace

std::string with_bounds(std::string_view collection, const std::vector<SourceBounds>& bounds) {
  ordered_json list = ordered_json::array();
  for (const SourceBounds& source : bounds) {
    list.push_back(ordered_json::array());
    for (const LevelBounds& level : source) list.back().push_back(encode(level));
  }
  // Into the text: numbers that nothing reads stay as they are. taco:sources is the last member of that name.
  const std::string start = json_string(kSources) + ": {";
  const auto at = collection.rfind(start);
  std::string out(collection);
  return reindent_json(out.insert(at + start.size(), json_string(kBounds) + ": " + list.dump() + ","), 4);
}

std::vector<SourceBounds> bounds_of(const Collection& collection) {
  if (collection.json.find(json_string(kBounds)) == std::string::npos) return {};
  const json document = parse_json(collection.json, "");
  const std::string path;
  const JsonNode list = JsonNode(document, path, "")[kSources][kBounds];
  if (list.is_null()) return {};
  std::vector<SourceBounds> out;
  for (const JsonNode& source : elements_of(list, collection.sources.size())) {
    auto& levels = out.emplace_back();
    for (const JsonNode& level : source.elements()) levels.push_back(parse_level(level));
    if (levels.empty() || levels.size() != out[0].size()) source.fail("has another number of levels");
  }
  return out;
}

}  // namespace tacore
