#include "table/extent_sum.hpp"

#include <arrow/array.h>
#include <arrow/extension_type.h>
#include <arrow/record_batch.h>
#include <arrow/table.h>
#include <arrow/type.h>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <utility>

#include "base/epoch.hpp"
#include "base/longitude.hpp"
#include "base/text.hpp"
#include "model/collection_merge.hpp"
#include "model/grid_footprint.hpp"
#include "model/known_crs.hpp"
#include "model/wkb.hpp"
#include "table/arrow_error.hpp"
#include "table/cells.hpp"
#include "table/level_batches.hpp"

namespace tacore {
namespace {

constexpr std::size_t kMostBoxes = 1 << 18;  // 8 MiB

constexpr std::array<std::string_view, 4> kPlaces = {"stac:centroid", "stac:geotransform", "istac:geometry",
                                                     "istac:centroid"};
constexpr std::array<std::string_view, 5> kAbout = {"stac:crs", "stac:tensor_shape", "stac:raster_shape", "istac:crs",
                                                    "stac:geotransform"};
constexpr std::array<std::string_view, 6> kTimes = {"stac:time_start",  "stac:time_middle",  "stac:time_end",
                                                    "istac:time_start", "istac:time_middle", "istac:time_end"};

template <class Names>
bool is_one_of(std::string_view name, const Names& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

bool is_counted(std::string_view name) {
  return is_one_of(name, kPlaces) || is_one_of(name, kAbout) || is_one_of(name, kTimes);
}

BBox point(double x, double y) { return {x, y, x, y}; }

/// The boxes of a geometry, in its own coordinates: one for each of its points, lines and polygons. Throws FormatError.
std::vector<BBox> boxes_of(const arrow::Array& column, int64_t row) {
  if (is_text(*column.type())) {
    const auto wkt = text_cell(column, row);
    const auto box = wkt ? wkt_point_envelope(*wkt) : std::nullopt;
    return box ? std::vector{*box} : std::vector<BBox>();
  }
  if (const auto wkb = binary_cell(column, row)) return wkb_part_envelopes(std::as_bytes(std::span(*wkb)));
  const auto numbers = numbers_cell(column, row);
  return numbers && numbers->size() >= 2 ? std::vector{point((*numbers)[0], (*numbers)[1])} : std::vector<BBox>();
}

/// The range of RFC 3339: years 1 to 9999.
bool can_be_told(const TimeRange& time) {
  constexpr int64_t kFirst = -62135596800'000'000, kLast = 253402300799'999'999;
  return time.start.microseconds >= kFirst && time.end.microseconds <= kLast;
}

}  // namespace

bool is_place_column(std::string_view name) { return is_one_of(name, kPlaces); }
bool is_time_column(std::string_view name) { return is_one_of(name, kTimes); }

std::vector<int> columns_of_extent(const LevelTable& level) {
  std::vector<int> out;
  for (std::size_t c = 0; c < level.columns().size(); ++c) {
    if (is_counted(level.columns()[c].name)) out.push_back(static_cast<int>(c));
  }
  return out;
}

std::optional<TimeRange> time_of(const arrow::Array& column, int64_t row) {
  using Limits = std::numeric_limits<int64_t>;
  const auto scaled = [](int64_t value, int64_t unit) -> std::optional<TimeRange> {
    if (value > Limits::max() / unit || value < Limits::min() / unit) return std::nullopt;
    return TimeRange{{value * unit}, {value * unit}};
  };
  const auto nanoseconds = [](int64_t value) {
    const int64_t whole = value / 1000, rest = value % 1000;
    return TimeRange{{whole - (rest < 0 ? 1 : 0)}, {whole + (rest > 0 ? 1 : 0)}};
  };
  constexpr int64_t kSecond = 1'000'000, kDay = 86400 * kSecond;
  switch (column.type_id()) {
    case arrow::Type::TIMESTAMP: {
      const int64_t value = static_cast<const arrow::TimestampArray&>(column).Value(row);
      switch (static_cast<const arrow::TimestampType&>(*column.type()).unit()) {
        case arrow::TimeUnit::SECOND: return scaled(value, kSecond);
        case arrow::TimeUnit::MILLI: return scaled(value, 1000);
        case arrow::TimeUnit::MICRO: return scaled(value, 1);
        default: return nanoseconds(value);
      }
    }
    case arrow::Type::DATE32: return scaled(static_cast<const arrow::Date32Array&>(column).Value(row), kDay);
    case arrow::Type::DATE64: return scaled(static_cast<const arrow::Date64Array&>(column).Value(row), 1000);
    default: break;
  }
  if (const auto text = text_cell(column, row)) {
    try {
      const Timestamp time = Timestamp::parse(*text);
      return TimeRange{time, time};
    } catch (const QueryError&) {
      return std::nullopt;
    }
  }
  const auto whole = integer_cell(column, row);
  const auto number = number_cell(column, row);
  const auto epoch = whole ? epoch_of(*whole) : number ? epoch_of(*number) : std::nullopt;
  return epoch ? std::optional(TimeRange{{epoch->microseconds}, {epoch->microseconds}}) : std::nullopt;
}

/// The columns of a batch that locate its rows in space and time.
struct ExtentSum::Rows {
  std::map<std::string, std::shared_ptr<arrow::Array>, std::less<>> columns = {};
  int64_t first = 0;  ///< the row of the table at which the batch begins
  const ErrorContext& where;

  const arrow::Array* find(std::string_view name) const {
    const auto found = columns.find(name);
    return found == columns.end() ? nullptr : found->second.get();
  }
  SchemaError fault(const std::string& column, int64_t row, const std::string& what) const {
    return SchemaError(column + " of row " + std::to_string(first + row) + " " + what, where);
  }
};

void ExtentSum::add(const arrow::Table& rows, int level) {
  const ErrorContext where{.path = {}, .offset = {}, .level = level};
  arrow::TableBatchReader batches(rows);
  int64_t first = 0;
  for (std::shared_ptr<arrow::RecordBatch> batch; check(batches.ReadNext(&batch)), batch; first += batch->num_rows()) {
    add(*batch, first, where);
  }
}

void ExtentSum::add(const LevelTable& rows) {
  const auto columns = columns_of_extent(rows);
  if (columns.empty()) return;
  LevelBatches batches(rows, columns);
  int64_t first = 0;
  for (std::shared_ptr<arrow::RecordBatch> batch; (batch = batches()); first += batch->num_rows())
    add(*batch, first, rows.where());
}

void ExtentSum::add(const arrow::RecordBatch& rows, int64_t begin, int64_t count, const ErrorContext& where) {
  add(*rows.Slice(begin, count), num_rows_, where);
}

void ExtentSum::add(const ExtentSum& more) {
  add_boxes(more.boxes_);
  if (!times_) times_ = more.times_;
  if (more.times_) {
    times_ = TimeRange{std::min(times_->start, more.times_->start), std::max(times_->end, more.times_->end)};
  }
  if (!fault_) fault_ = more.fault_;
  for (const auto& [crs, count] : more.without_footprint_) without_footprint_[crs] += count;
  num_bad_times_ += more.num_bad_times_;
  num_rows_ += more.num_rows_;
  num_placed_ += more.num_placed_;
  num_lacking_ += more.num_lacking_;
}

void ExtentSum::add(const arrow::RecordBatch& rows, int64_t first, const ErrorContext& where) {
  Rows here{.first = first, .where = where};
  for (int c = 0; c < rows.num_columns(); ++c) {
    if (!is_counted(rows.column_name(c))) continue;
    auto column = rows.column(c);
    if (column->type_id() == arrow::Type::EXTENSION) {
      column = static_cast<const arrow::ExtensionArray&>(*column).storage();
    }
    here.columns.emplace(rows.column_name(c), std::move(column));
  }
  num_rows_ += rows.num_rows();
  for (int64_t row = 0; !here.columns.empty() && row < rows.num_rows(); ++row) {
    const int64_t num_lacking = num_lacking_;
    const bool has_geometry = add_geometry(here, "istac:geometry", row) || add_geometry(here, "istac:centroid", row);
    const bool has_grid = add_grid(here, row) || add_geometry(here, "stac:centroid", row);
    if ((has_geometry || has_grid) && num_lacking_ == num_lacking) ++num_placed_;
    for (const auto name : kTimes) {
      if (const arrow::Array* column = here.find(name)) add_time(*column, row);
    }
  }
}

bool ExtentSum::add_geometry(const Rows& rows, const char* name, int64_t row) {
  const arrow::Array* column = rows.find(name);
  if (!column) return false;
  // Centroids are in degrees, whatever the CRS.
  const arrow::Array* systems = name == std::string_view("istac:geometry") ? rows.find("istac:crs") : nullptr;
  const std::string crs(systems ? text_cell(*systems, row).value_or("") : "");
  try {
    const auto boxes = boxes_of(*column, row);
    if (!boxes.empty() && !is_known(crs)) return lack_footprint(crs), false;
    for (const BBox& box : boxes) {
      if (is_wgs84(crs)) {
        add_degrees(box);
      } else {
        add_box(crs, box);
      }
    }
    return !boxes.empty();
  } catch (const FormatError& error) {
    if (!fault_) fault_ = rows.fault(name, row, "is not a geometry: " + error.message());
  } catch (const SchemaError& error) {
    if (!fault_) fault_ = rows.fault(name, row, error.message());
  }
  return false;
}

/// A box in another CRS, transformed as a grid of one pixel, whose edges bend with the CRS.
void ExtentSum::add_box(const std::string& crs, const BBox& box) {
  if (box.minx < box.maxx && box.miny < box.maxy) {
    return add_footprint({crs, {box.minx, box.maxx - box.minx, 0, box.maxy, 0, box.miny - box.maxy}, 1, 1});
  }
  for (const auto& [x, y] : {std::pair(box.minx, box.miny), std::pair(box.maxx, box.maxy)}) {
    const LonLat at = to_wgs84(crs, x, y, transformer_);
    add_degrees(point(at.lon, at.lat));
  }
}

bool ExtentSum::add_grid(const Rows& rows, int64_t row) {
  const arrow::Array *systems = rows.find("stac:crs"), *transforms = rows.find("stac:geotransform");
  const auto crs = systems ? text_cell(*systems, row) : std::nullopt;
  const auto transform = transforms ? numbers_cell(*transforms, row) : std::nullopt;
  std::optional<std::vector<int64_t>> shape;
  for (const char* name : {"stac:tensor_shape", "stac:raster_shape"}) {
    if (const arrow::Array* shapes = rows.find(name); shapes && !shape) shape = integers_cell(*shapes, row);
  }
  if (!crs || !transform || transform->size() != 6 || !shape || shape->size() < 2) return false;
  Grid grid{.crs = std::string(*crs), .columns = (*shape)[shape->size() - 1], .rows = (*shape)[shape->size() - 2]};
  std::copy(transform->begin(), transform->end(), grid.geotransform.begin());
  try {
    if (is_known(grid.crs)) return add_footprint(grid), true;
  } catch (const SchemaError&) {  // corners off the globe, or no area
  }
  lack_footprint(grid.crs);
  return false;
}

void ExtentSum::add_footprint(const Grid& grid) {
  const std::string wkb = grid_footprint(grid, transformer_);
  for (const BBox& box : wkb_part_envelopes(std::as_bytes(std::span(wkb)))) add_degrees(box);
}

void ExtentSum::add_degrees(BBox box) {
  if (!(box.miny >= -90 && box.maxy <= 90)) {
    throw SchemaError("has latitude " + std::to_string(box.miny < -90 ? box.miny : box.maxy) + ", -90 to 90 expected");
  }
  if (box.minx < -180 || box.maxx > 180) {
    const bool round = box.maxx - box.minx >= 360;
    box.minx = round ? -180 : wrap_longitude(box.minx);
    box.maxx = round ? 180 : wrap_longitude(box.maxx);
  }
  add_boxes({box});
}

void ExtentSum::add_boxes(const std::vector<BBox>& more) {
  if (boxes_.size() + more.size() > kMostBoxes) boxes_ = {merge_boxes(boxes_)};
  boxes_.insert(boxes_.end(), more.begin(), more.end());
}

void ExtentSum::lack_footprint(const std::string& crs) {
  ++without_footprint_[crs];
  ++num_lacking_;
}

bool ExtentSum::is_known(const std::string& crs) {
  if (is_wgs84(crs)) return true;
  const auto [at, is_new] = known_.emplace(crs, true);
  if (is_new) {
    try {
      is_geographic(crs, transformer_);
    } catch (const SchemaError&) {
      at->second = false;
    }
  }
  return at->second;
}

void ExtentSum::add_time(const arrow::Array& column, int64_t row) {
  if (column.IsNull(row)) return;
  const auto time = time_of(column, row);
  if (!time || !can_be_told(*time)) {
    ++num_bad_times_;
  } else if (!times_) {
    times_ = time;
  } else {
    times_->start = std::min(times_->start, time->start);
    times_->end = std::max(times_->end, time->end);
  }
}

Extent ExtentSum::extent() const {
  Extent out{.temporal = times_};
  if (!boxes_.empty()) out.spatial = merge_boxes(boxes_);
  return out;
}

std::vector<std::string> ExtentSum::gaps_of_places() const {
  std::vector<std::string> out;
  for (const auto& [crs, count] : without_footprint_) {
    out.push_back("the footprints of " + std::to_string(count) + " samples in the CRS " + in_quotes(crs) +
                  " are unknown, because PROJ is missing or does not know the CRS; centroids are used instead");
  }
  return out;
}

std::vector<std::string> ExtentSum::gaps() const {
  std::vector<std::string> out = gaps_of_places();
  if (num_bad_times_ > 0)
    out.push_back(std::to_string(num_bad_times_) + " times are invalid, or not in the years 0001 to 9999");
  return out;
}

}  // namespace tacore
