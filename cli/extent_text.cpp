#include "extent_text.hpp"

#include <cmath>
#include <cstdio>
#include <limits>

#include "json.hpp"

namespace tacore::cli {
namespace {

bool is_open(Timestamp time) {
  return time.microseconds == std::numeric_limits<int64_t>::min() ||
         time.microseconds == std::numeric_limits<int64_t>::max();
}

/// "2023-01-31T12:00:00.5Z" -> "2023-01-31 12:00:00", or the date alone at the ends of a day.
std::string in_words(Timestamp time) {
  const std::string text = time.to_string();
  const auto t = text.find('T');
  const std::string date = text.substr(0, t);
  const std::string of_day = text.substr(t + 1);
  if (of_day == "00:00:00Z" || of_day == "23:59:59.999999Z") return date;
  return date + " " + of_day.substr(0, 8);
}

/// Degrees: five decimals are a metre.
std::string degrees(double value) {
  if (std::abs(value) > 1000) return json_number(value);  // no degrees at all
  char out[64];
  std::snprintf(out, sizeof out, "%.5f", value);
  std::string text = out;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string json_time(Timestamp time) { return is_open(time) ? "null" : json_string(time.to_string()); }

}  // namespace

std::string bbox_argument(const BBox& box) {
  return json_number(box.minx) + "," + json_number(box.miny) + "," + json_number(box.maxx) + "," +
         json_number(box.maxy);
}

std::string datetime_argument(const TimeRange& range) {
  const auto bound = [](Timestamp time) { return is_open(time) ? ".." : time.to_string(); };
  return bound(range.start) + "/" + bound(range.end);
}

std::string in_words(const BBox& box) {
  return "longitude " + degrees(box.minx) + " to " + degrees(box.maxx) +
         (box.minx > box.maxx ? " (over the antimeridian)" : "") + ", latitude " + degrees(box.miny) + " to " +
         degrees(box.maxy);
}

std::string in_words(const TimeRange& range) {
  if (is_open(range.start) && is_open(range.end)) return "always";
  if (is_open(range.end)) return "since " + in_words(range.start);
  if (is_open(range.start)) return "until " + in_words(range.end);
  const std::string start = in_words(range.start);
  const std::string end = in_words(range.end);
  return start == end ? start : start + " to " + end;
}

std::string extent_json(const Extent& extent) {
  std::string spatial = "null";
  if (extent.spatial) spatial = json_array({bbox_argument(*extent.spatial)});
  std::string temporal = "null";
  if (extent.temporal) {
    temporal = json_array({json_time(extent.temporal->start), json_time(extent.temporal->end)});
  }
  return json_object({{"spatial", spatial}, {"temporal", temporal}});
}

}  // namespace tacore::cli
