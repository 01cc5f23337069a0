#include "reader/filters.hpp"

#include <algorithm>
#include <functional>
#include <limits>

#include "base/log.hpp"
#include "base/open_time.hpp"
#include "base/text.hpp"

namespace tacore {
namespace {

constexpr const char* kGeometryColumns[] = {"istac:geometry", "stac:centroid", "istac:centroid"};
constexpr const char* kTimeColumns[] = {"istac:time_start", "stac:time_start"};

// Epochs below these are seconds, milliseconds, microseconds: 1e11 s is the year 5138, 1e11 ms is 1973.
constexpr double kSecondsBelow = 1e11, kMillisecondsBelow = 1e14, kMicrosecondsBelow = 1e17;
// TIMESTAMP_NS reaches from 1677 to 2262.
constexpr int64_t kNanosecondReach = std::numeric_limits<int64_t>::max() / 1000 - 1;

std::string names_of(std::span<const Column> columns) {
  std::vector<std::string> names;
  for (const auto& column : columns) names.push_back(column.name);
  return join(names, ", ");
}

std::string add_value(std::vector<SqlValue>& values, SqlValue value) {
  values.push_back(std::move(value));
  return "$" + std::to_string(values.size());
}

std::string box_predicate(const BBox& box, const Column& column, std::vector<SqlValue>& values) {
  const std::string name = sql_identifier(column.name);
  std::string bounds;
  for (const double bound : {box.minx, box.miny, box.maxx, box.maxy})
    bounds += ", " + add_value(values, bound) + "::DOUBLE";
  const std::string& type = column.type;
  if (type == "binary" || type == "large_binary" || type.starts_with("fixed_size_binary") ||
      type.starts_with("extension<geoarrow.wkb")) {
    return "tacore_meets_wkb(" + name + bounds + ")";
  }
  if (type == "string" || type == "large_string") return "tacore_meets_wkt(" + name + bounds + ")";
  if (type.find("list<item: ") != std::string::npos && type.find("list<item: list") == std::string::npos) {
    return "tacore_meets_point(CAST(" + name + "[1] AS DOUBLE), CAST(" + name + "[2] AS DOUBLE)" + bounds + ")";
  }
  throw QueryError("column " + quoted(column.name) + " has type " + type +
                   "; a geometry is WKB (binary), a WKT point (string) or a [lon, lat] list");
}

// An open side of a TimeRange is the least or greatest number: no bound at all.
bool open_start(const TimeRange& range) { return range.start == kOpenStart; }
bool open_end(const TimeRange& range) { return range.end == kOpenEnd; }

/// `value` within the bounds that there are; null never is.
std::string within(const std::string& value, const TimeRange& range, const std::function<std::string(int64_t)>& start,
                   const std::function<std::string(int64_t)>& end, const char* end_operator = " <= ") {
  std::string out;
  if (!open_start(range)) out = value + " >= " + start(range.start.microseconds);
  if (!open_end(range)) out += (out.empty() ? "" : " AND ") + value + end_operator + end(range.end.microseconds);
  return out.empty() ? value + " IS NOT NULL" : out;
}

/// A column of whole numbers of `unit` microseconds each.
std::string epoch_predicate(const TimeRange& range, const std::string& value, int64_t unit,
                            std::vector<SqlValue>& values) {
  const auto floor_div = [](int64_t a, int64_t b) { return a / b - (a % b != 0 && a < 0 ? 1 : 0); };
  return within(
      value, range, [&](int64_t us) { return add_value(values, -floor_div(-us, unit)) + "::BIGINT"; },
      [&](int64_t us) { return add_value(values, floor_div(us, unit)) + "::BIGINT"; });
}

/// A column of numbers of `unit` microseconds each, compared as doubles. NaN, the greatest number to SQL, is no time.
std::string real_predicate(const TimeRange& range, const std::string& value, double unit,
                           std::vector<SqlValue>& values) {
  const auto bound = [&](int64_t us) { return add_value(values, static_cast<double>(us) / unit) + "::DOUBLE"; };
  return within(value, range, bound, bound) + " AND NOT isnan(" + value + ")";
}

std::string number_predicate(const TimeRange& range, const Column& column, bool whole, std::optional<double> magnitude,
                             std::vector<SqlValue>& values) {
  const std::string name = sql_identifier(column.name);
  if (!magnitude) {
    // Row by row, as nothing is known of the column as a whole.
    log::warning("column " + quoted(column.name) + " holds numbers; taken as epochs, unit by the magnitude of each");
    const std::string v = "CAST(" + name + " AS DOUBLE)";
    return real_predicate(range,
                          "(CASE WHEN abs(" + v + ") < 1e11 THEN " + v + " * 1e6 WHEN abs(" + v + ") < 1e14 THEN " + v +
                              " * 1e3 WHEN abs(" + v + ") < 1e17 THEN " + v + " ELSE " + v + " / 1e3 END)",
                          1, values);
  }
  const bool seconds = *magnitude < kSecondsBelow, milliseconds = *magnitude < kMillisecondsBelow,
             microseconds = *magnitude < kMicrosecondsBelow;
  log::warning("column " + quoted(column.name) + " holds numbers; taken as epochs in " +
               (seconds        ? "seconds"
                : milliseconds ? "milliseconds"
                : microseconds ? "microseconds"
                               : "nanoseconds"));
  if (whole && microseconds) return epoch_predicate(range, name, seconds ? 1'000'000 : milliseconds ? 1000 : 1, values);
  if (!whole) return real_predicate(range, name, seconds ? 1e6 : milliseconds ? 1e3 : microseconds ? 1 : 1e-3, values);
  const auto scaled = [&](int64_t us, int64_t more) {
    return add_value(values, std::clamp(us, -kNanosecondReach, kNanosecondReach) * 1000 + more) + "::BIGINT";
  };
  return within(name, range, [&](int64_t us) { return scaled(us, 0); }, [&](int64_t us) { return scaled(us, 999); });
}

std::string time_predicate(const TimeRange& range, const Column& column, std::optional<double> magnitude,
                           std::vector<SqlValue>& values) {
  const std::string name = sql_identifier(column.name);
  const std::string& type = column.type;
  const bool zoned = type.find("tz=") != std::string::npos;
  const auto bound = [&](int64_t us) { return add_value(values, SqlTime{us, zoned}); };
  if (type.starts_with("timestamp[ns")) {
    const auto clamped = [&](int64_t us) { return bound(std::clamp(us, -kNanosecondReach, kNanosecondReach)); };
    // Half open, so that the nanoseconds of the last microsecond count.
    return within(name, range, clamped, [&](int64_t us) { return clamped(us + 1); }, " < ");
  }
  if (type.starts_with("timestamp[") || type.starts_with("date")) return within(name, range, bound, bound);
  if (type == "string" || type == "large_string")
    return epoch_predicate(range, "tacore_rfc3339(" + name + ")", 1, values);
  const bool whole = type.starts_with("int") || type.starts_with("uint");
  if (whole || type == "double" || type == "float") return number_predicate(range, column, whole, magnitude, values);
  throw QueryError("column " + quoted(column.name) + " has type " + type +
                   "; a time is a timestamp, a date, an epoch number or RFC 3339 text");
}

}  // namespace

Column resolve_column(const Filter& filter, std::span<const Column> columns) {
  const auto find = [&](std::string_view name) {
    return std::find_if(columns.begin(), columns.end(), [&](const Column& c) { return c.name == name; });
  };
  if (filter.column != "auto") {
    const auto found = find(filter.column);
    if (found != columns.end()) return *found;
    throw QueryError("Column " + quoted(filter.column) + " not found in level " + std::to_string(filter.level) + ": " +
                     names_of(columns));
  }
  const bool box = std::holds_alternative<BBox>(filter.test);
  if (box) {
    for (const char* name : kGeometryColumns) {
      if (const auto found = find(name); found != columns.end()) return *found;
    }
  } else {
    for (const char* name : kTimeColumns) {
      if (const auto found = find(name); found != columns.end()) return *found;
    }
  }
  throw QueryError(std::string(box ? "No geometry column found" : "No time column found") + " in level " +
                   std::to_string(filter.level) + ": " + names_of(columns));
}

std::string predicate(const Filter& filter, const Column& column, std::optional<double> magnitude,
                      std::vector<SqlValue>& values) {
  if (const auto* box = std::get_if<BBox>(&filter.test)) return box_predicate(*box, column, values);
  return time_predicate(std::get<TimeRange>(filter.test), column, magnitude, values);
}

}  // namespace tacore
