#include "query/filters.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "base/epoch.hpp"
#include "base/text.hpp"

namespace tacore {
namespace {

constexpr const char* kGeometryColumns[] = {"istac:geometry", "stac:centroid", "istac:centroid"};
constexpr const char* kTimeColumns[] = {"istac:time_start", "stac:time_start"};
constexpr const char* kFootprint = "footprint";

// TIMESTAMP_NS spans the years 1677 to 2262.
constexpr int64_t kNanosecondReach = std::numeric_limits<int64_t>::max() / 1000 - 1;

std::string add_value(std::vector<SqlValue>& values, SqlValue value) {
  values.push_back(std::move(value));
  return "$" + std::to_string(values.size());
}

std::optional<Column> find(std::span<const Column> columns, std::string_view name) {
  const auto found = std::ranges::find(columns, name, &Column::name);
  return found == columns.end() ? std::nullopt : std::optional(*found);
}

/// The type of the values without the encoding of Arrow: that of the values of a dictionary; text or bytes for a view.
std::string type_of_values(const Column& column) {
  constexpr std::string_view kDictionary = "dictionary<values=", kView = "_view";
  std::string type = column.type;
  if (type.starts_with(kDictionary))
    type = type.substr(kDictionary.size(), type.find(", indices=") - kDictionary.size());
  if (type.ends_with(kView)) type.resize(type.size() - kView.size());
  return type;
}

bool is_text(const std::string& type) { return type == "string" || type == "large_string"; }

/// Points of GeoArrow.
bool is_coordinates(const std::string& type) {
  return type.starts_with("struct<x: double, y: double") || type.starts_with("struct<x: float, y: float");
}

/// The four bounds of the box as SQL arguments.
std::string bounds_of(const BBox& box, std::vector<SqlValue>& values) {
  std::string out;
  for (const double bound : {box.minx, box.miny, box.maxx, box.maxy})
    out += ", " + add_value(values, bound) + "::DOUBLE";
  return out;
}

std::string meets(const Column& column, const std::string& bounds) {
  const std::string name = sql_identifier(column.name), type = type_of_values(column);
  if (type == "binary" || type == "large_binary" || type.starts_with("fixed_size_binary") ||
      type.starts_with("extension<geoarrow.wkb")) {
    return "tacore_meets_wkb(" + name + bounds + ")";
  }
  if (is_text(type)) return "tacore_meets_wkt(" + name + bounds + ")";
  if (type.find("list<item: ") != std::string::npos && type.find("list<item: list") == std::string::npos) {
    return "tacore_meets_point(CAST(" + name + "[1] AS DOUBLE), CAST(" + name + "[2] AS DOUBLE)" + bounds + ")";
  }
  if (is_coordinates(type)) {
    return "tacore_meets_point(CAST(" + name + ".x AS DOUBLE), CAST(" + name + ".y AS DOUBLE)" + bounds + ")";
  }
  throw QueryError("column " + in_quotes(column.name) + " has type " + column.type +
                   "; a geometry is WKB (binary), a WKT point (string), a [lon, lat] list or a structure of x and y");
}

// --- Footprints

std::optional<Column> shape_column(std::span<const Column> columns) {
  auto out = find(columns, "stac:tensor_shape");
  return out ? out : find(columns, "stac:raster_shape");
}

/// The columns that locate samples; empty without all columns of a grid and without a geometry.
std::vector<Column> footprint_columns(std::span<const Column> columns) {
  std::vector<Column> out;
  const auto add = [&](const std::optional<Column>& column) {
    if (column) out.push_back(*column);
  };
  const auto crs = find(columns, "stac:crs"), transform = find(columns, "stac:geotransform");
  if (const auto shape = shape_column(columns); crs && transform && shape) out = {*crs, *transform, *shape};
  for (const char* name : kGeometryColumns) add(find(columns, name));
  if (!out.empty()) add(find(columns, "istac:crs"));
  return out;
}

/// Prefers a geometry in longitude and latitude, then the pixel grid, then the centroid: as for descriptions.
std::string footprint_predicate(const BBox& box, std::span<const Column> columns, std::vector<SqlValue>& values) {
  const std::string bounds = bounds_of(box, values);
  std::vector<std::string> tests;
  if (const auto geometry = find(columns, "istac:geometry")) {
    std::string is_tested = sql_identifier(geometry->name) + " IS NOT NULL";
    if (const auto crs = find(columns, "istac:crs"))
      is_tested += " AND lower(coalesce(" + sql_identifier(crs->name) + ", '')) IN ('', 'epsg:4326', 'ogc:crs84')";
    tests.push_back("CASE WHEN " + is_tested + " THEN " + meets(*geometry, bounds) + " END");
  }
  if (const auto crs = find(columns, "stac:crs")) {
    tests.push_back("tacore_meets_grid(" + sql_identifier(crs->name) +
                    ", CAST(\"stac:geotransform\" AS DOUBLE[]), CAST(" + sql_identifier(shape_column(columns)->name) +
                    " AS BIGINT[])" + bounds + ")");
  }
  for (const char* name : {"stac:centroid", "istac:centroid"}) {
    if (const auto column = find(columns, name))
      tests.push_back("CASE WHEN " + sql_identifier(name) + " IS NOT NULL THEN " + meets(*column, bounds) + " END");
  }
  return "coalesce(" + join(tests, ", ") + ", false)";
}

// --- Times

// An open side of a TimeRange is the smallest or largest number, and sets no condition.
bool open_start(const TimeRange& range) { return range.start == kOpenStart; }
bool open_end(const TimeRange& range) { return range.end == kOpenEnd; }

/// `value` within the existing bounds; false for null.
template <class Bound>
std::string within(const std::string& value, const TimeRange& range, const Bound& bound) {
  if (open_start(range) && open_end(range)) return value + " IS NOT NULL";
  if (open_start(range)) return value + " <= " + bound(range.end.microseconds);
  if (open_end(range)) return value + " >= " + bound(range.start.microseconds);
  return value + " BETWEEN " + bound(range.start.microseconds) + " AND " + bound(range.end.microseconds);
}

/// `value` is a number of microseconds.
std::string within_microseconds(const std::string& value, const TimeRange& range, std::vector<SqlValue>& values) {
  return within(value, range, [&](int64_t us) { return add_value(values, us) + "::BIGINT"; });
}

std::string within_nanoseconds(const std::string& name, TimeRange range, bool zoned, std::vector<SqlValue>& values) {
  const auto bound = [&](int64_t us) {
    return add_value(values, SqlTime{std::clamp(us, -kNanosecondReach, kNanosecondReach), zoned});
  };
  std::string out = within(name, {range.start, kOpenEnd}, bound);
  // Half open, so that the nanoseconds of the last microsecond are included.
  return open_end(range) ? out : out + " AND " + name + " < " + bound(range.end.microseconds + 1);
}

std::string time_predicate(const TimeRange& range, const Column& column, std::vector<SqlValue>& values) {
  const std::string name = sql_identifier(column.name), type = type_of_values(column);
  const std::string is_named = ", " + sql_literal(column.name) + ")";
  const bool zoned = type.find("tz=") != std::string::npos;
  if (type.starts_with("timestamp[ns")) return within_nanoseconds(name, range, zoned, values);
  if (type.starts_with("timestamp[") || type.starts_with("date"))
    return within(name, range, [&](int64_t us) { return add_value(values, SqlTime{us, zoned}); });
  if (is_text(type)) return within_microseconds("tacore_rfc3339(" + name + is_named, range, values);
  // An unsigned number beyond the signed range stands for a missing one.
  if (type.starts_with("int") || type.starts_with("uint"))
    return within_microseconds("tacore_epoch(TRY_CAST(" + name + " AS BIGINT)" + is_named, range, values);
  if (type == "double" || type == "float" || type == "halffloat")
    return within_microseconds("tacore_real_epoch(CAST(" + name + " AS DOUBLE)" + is_named, range, values);
  throw QueryError("column " + in_quotes(column.name) + " has type " + column.type +
                   "; a time is a timestamp, a date, an epoch number or RFC 3339 text");
}

}  // namespace

bool is_footprint(const Filter& filter, std::span<const Column> columns) {
  return std::holds_alternative<BBox>(filter.test) && filter.column == kFootprint && !find(columns, kFootprint);
}

std::vector<Column> tested_columns(const Filter& filter, std::span<const Column> columns) {
  if (is_footprint(filter, columns)) return footprint_columns(columns);
  const auto first_of = [&](std::span<const char* const> names) -> std::vector<Column> {
    for (const char* name : names) {
      if (const auto found = find(columns, name)) return {*found};
    }
    return {};
  };
  if (filter.column == "auto")
    return std::holds_alternative<BBox>(filter.test) ? first_of(kGeometryColumns) : first_of(kTimeColumns);
  const char* const name = filter.column.c_str();
  return first_of({&name, 1});
}

std::string why_untested(const Filter& filter, std::span<const Column> columns) {
  std::vector<std::string> names;
  for (const auto& column : columns) names.push_back(column.name);
  const bool is_box = std::holds_alternative<BBox>(filter.test);
  const std::string level = " in level " + std::to_string(filter.level), all = ": " + join(names, ", ");
  if (is_footprint(filter, columns)) {
    return "No footprint found" + level +
           ", which needs istac:geometry, or stac:crs, stac:geotransform and stac:tensor_shape, or a centroid" + all;
  }
  if (filter.column != "auto") return "Column " + in_quotes(filter.column) + " not found" + level + all;
  return std::string(is_box ? "No geometry column found" : "No time column found") + level + all;
}

std::string predicate(const Filter& filter, std::span<const Column> columns, std::vector<SqlValue>& values) {
  if (is_footprint(filter, columns)) {
    return footprint_predicate(std::get<BBox>(filter.test), footprint_columns(columns), values);
  }
  const Column column = tested_columns(filter, columns).at(0);
  if (const auto* box = std::get_if<BBox>(&filter.test)) return meets(column, bounds_of(*box, values));
  return time_predicate(std::get<TimeRange>(filter.test), column, values);
}

}  // namespace tacore
