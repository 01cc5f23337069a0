#include "tacore/extensions/majortom.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <numbers>

#include "base/text.hpp"
#include "extensions/columns.hpp"
#include "extensions/tortilla_centroids.hpp"
#include "tacore/error.hpp"
#include "tacore/write/sample.hpp"

namespace tacore::extensions {

namespace {

/// Anchors on a circle of `turn` degrees, n of them: anchor k lies at k * turn / n, for k from -floor(n/2) on.
struct Anchors {
  double turn;
  int64_t n;

  int64_t first() const { return -(n / 2); }
  int64_t last() const { return first() + n - 1; }
  double operator[](int64_t k) const { return static_cast<double>(k) * turn / static_cast<double>(n); }

  /// The first anchor at or beyond `degrees`, last() + 1 when there is none (so for NaN).
  int64_t lower_bound(double degrees) const {
    if (!(degrees <= (*this)[last()])) return last() + 1;
    if (degrees <= (*this)[first()]) return first();
    auto k = static_cast<int64_t>(std::ceil(degrees * static_cast<double>(n) / turn));
    // Rounding may have led one too far or not far enough.
    while ((*this)[k - 1] >= degrees) --k;
    while ((*this)[k] < degrees) ++k;
    return k;
  }
  /// The numbers of the rows or columns within [from, to]; first > last when there are none.
  MajorTomRange within(double from, double to) const {
    int64_t end = lower_bound(to);
    if (end <= last() && (*this)[end] == to) ++end;
    return {lower_bound(from), end - 1};
  }
};

constexpr double kDegree = std::numbers::pi / 180;

/// Beyond this a double does not hold every row.
constexpr double kMostRows = 1e15;

std::string label(int64_t number, char positive, char negative) {
  char out[32];
  std::snprintf(out, sizeof out, "%04lld%c", static_cast<long long>(std::abs(number)),
                number < 0 ? negative : positive);
  return out;
}

int64_t parse_label(const char* what, std::string_view text, char positive, char negative) {
  int64_t number = 0;
  const auto size = text.empty() ? 0 : text.size() - 1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + size, number);
  if (error == std::errc{} && end == text.data() + size) {
    if (text.back() == negative) number = -number;
    // Only the one spelling that label() has.
    if (text == label(number, positive, negative)) return number;
  }
  throw SchemaError(std::string(what) + " label " + in_quotes(text) + " not found in grid");
}

[[noreturn]] void fail_missing(const char* what, int64_t number, const MajorTomRange& range) {
  throw SchemaError(std::string(what) + " " + std::to_string(number) + " not found in grid; it has " +
                    std::to_string(range.first) + " to " + std::to_string(range.last));
}

}  // namespace

MajorTomGrid::MajorTomGrid(const MajorTomOptions& options) : options_(options) {
  const double num_rows = std::ceil(std::numbers::pi * options.equator_radius_km / options.dist_km);
  if (!(options.dist_km > 0) || !(num_rows >= 1) || num_rows > kMostRows) {
    throw SchemaError("dist_km " + std::to_string(options.dist_km) + " with equator_radius_km " +
                      std::to_string(options.equator_radius_km) + ": expected a positive distance");
  }
  num_rows_ = static_cast<int64_t>(num_rows);
  rows_ = Anchors{180, num_rows_}.within(options.min_latitude, options.max_latitude);
  if (rows_.first > rows_.last) {
    throw SchemaError("latitudes from " + std::to_string(options.min_latitude) + " to " +
                      std::to_string(options.max_latitude) + " hold no row of the grid");
  }
}

int64_t MajorTomGrid::num_columns(int64_t row) const noexcept {
  const double radius = options_.equator_radius_km * std::cos(Anchors{180, num_rows_}[row] * kDegree);
  return std::max<int64_t>(1, static_cast<int64_t>(std::ceil(2 * std::numbers::pi * radius / options_.dist_km)));
}

MajorTomRange MajorTomGrid::columns(int64_t row) const noexcept {
  const auto range = Anchors{360, num_columns(row)}.within(options_.min_longitude, options_.max_longitude);
  return range.first > range.last ? MajorTomRange{0, 0} : range;
}

MajorTomCell MajorTomGrid::latlon2rowcol(double lat, double lon) const noexcept {
  const int64_t row = std::clamp(Anchors{180, num_rows_}.lower_bound(lat) - 1, rows_.first, rows_.last);
  const MajorTomRange range = columns(row);
  const int64_t column = Anchors{360, num_columns(row)}.lower_bound(lon) - 1;
  return {row, column < range.first ? range.last : std::min(column, range.last)};
}

LonLat MajorTomGrid::rowcol2latlon(const MajorTomCell& cell) const {
  if (cell.row < rows_.first || cell.row > rows_.last) fail_missing("Row", cell.row, rows_);
  const MajorTomRange range = columns(cell.row);
  if (cell.column < range.first || cell.column > range.last) fail_missing("Column", cell.column, range);
  const double lat = Anchors{180, num_rows_}[cell.row];
  const double lon = Anchors{360, num_columns(cell.row)}[cell.column];
  // The one column of a row without an anchor.
  const bool outside = lon < options_.min_longitude || lon > options_.max_longitude;
  return {outside ? -180 : lon, lat};
}

LonLat MajorTomGrid::rowcol2latlon(std::string_view row_label, std::string_view column_label) const {
  return rowcol2latlon({parse_label("Row", row_label, 'U', 'D'), parse_label("Column", column_label, 'R', 'L')});
}

std::string MajorTomGrid::row_label(const MajorTomCell& cell) const { return label(cell.row, 'U', 'D'); }

std::string MajorTomGrid::column_label(const MajorTomCell& cell) const { return label(cell.column, 'R', 'L'); }

std::string MajorTomGrid::code(const MajorTomCell& cell) const {
  char distance[32];
  std::snprintf(distance, sizeof distance, "%04lldkm", static_cast<long long>(options_.dist_km));
  return distance + options_.sep + row_label(cell) + options_.sep + column_label(cell);
}

MajorTOM::MajorTOM(const MajorTomOptions& options) : grid_(options) {}

std::vector<FieldDescription> MajorTOM::schema() const { return schema_of("majortom"); }

std::vector<std::vector<Value>> MajorTOM::compute(const Tortilla& tortilla) const {
  std::vector<std::vector<Value>> out(1);
  for (const auto& at : centroids_of(tortilla)) {
    out[0].push_back(at ? Value(grid_.code(grid_.latlon2rowcol(at->lat, at->lon))) : Value());
  }
  return out;
}

}  // namespace tacore::extensions
