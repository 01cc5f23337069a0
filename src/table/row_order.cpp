#include "table/row_order.hpp"

#include <arrow/array.h>
#include <arrow/record_batch.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <string>

#include "base/log.hpp"
#include "base/longitude.hpp"
#include "base/text.hpp"
#include "base/threads.hpp"
#include "model/wkb.hpp"
#include "table/cells.hpp"
#include "table/extent_sum.hpp"
#include "tacore/error.hpp"
#include "tacore/plumbing/places.hpp"

namespace tacore {
namespace {

constexpr int kBits = 31;
/// The rows that a thread takes at a time.
constexpr int64_t kRowsAtOnce = 16384;

/// The centre of a box of longitudes, which may cross the antimeridian, and latitudes.
uint64_t position_of(const BBox& box) {
  const double width = box.maxx - box.minx + (box.minx > box.maxx ? 360 : 0);
  return hilbert_position(box.minx + width / 2, box.miny + (box.maxy - box.miny) / 2);
}

/// Rows sorted by `key(batch, row)`, nullopt last.
template <class T, class Key>
RowOrder sorted_rows(const NextBatch& rows, int jobs, const Key& key) {
  std::vector<std::pair<T, int64_t>> keys;
  while (const auto batch = rows()) {
    const int64_t num_rows = batch->num_rows(), first = static_cast<int64_t>(keys.size());
    keys.resize(static_cast<std::size_t>(first + num_rows));
    const auto num_pieces = static_cast<std::size_t>((num_rows + kRowsAtOnce - 1) / kRowsAtOnce);
    run_parallel(num_pieces, jobs, [&](std::size_t piece) {
      const int64_t begin = static_cast<int64_t>(piece) * kRowsAtOnce;
      for (int64_t row = begin; row < std::min(begin + kRowsAtOnce, num_rows); ++row) {
        keys[static_cast<std::size_t>(first + row)] = {key(*batch, row).value_or(std::numeric_limits<T>::max()),
                                                       first + row};
      }
    });
  }
  std::ranges::sort(keys);  // rows of one key by their numbers
  RowOrder out;
  for (const auto& [value, row] : keys) {
    out.rows.push_back(row);
    out.num_unplaced += value == std::numeric_limits<T>::max();
  }
  return out;
}

Extent extent_of_row(const arrow::RecordBatch& rows, int64_t row, const CrsTransformer* transformer) {
  ExtentSum sum(transformer);
  sum.add(rows, row, 1, {});
  return sum.extent();
}

/// The geometries in longitudes and latitudes, which are read directly: that takes a tenth of the time. nullptr where
/// there are none.
std::shared_ptr<arrow::Array> degrees_of(const arrow::RecordBatch& batch) {
  const auto named = [&](const char* name) {
    auto column = batch.GetColumnByName(name);
    return column && column->type_id() == arrow::Type::BINARY ? column : nullptr;
  };
  const auto geometry = batch.GetColumnByName("istac:crs") ? nullptr : named("istac:geometry");
  return geometry ? geometry : named("stac:centroid");
}

}  // namespace

uint64_t hilbert_position(double lon, double lat) noexcept {
  constexpr double kCells = static_cast<double>(uint64_t{1} << kBits);
  const auto cell = [&](double part) { return static_cast<uint64_t>(std::clamp(part * kCells, 0., kCells - 1)); };
  uint64_t x = cell((wrap_longitude(lon) + 180) / 360), y = cell((lat + 90) / 180), out = 0;
  for (uint64_t side = uint64_t{1} << (kBits - 1); side > 0; side /= 2) {
    const uint64_t right = (x & side) != 0, upper = (y & side) != 0;
    out += side * side * ((3 * right) ^ upper);
    if (upper) continue;
    // The lower quarters of the curve are turned.
    if (right) {
      x = ~x & ((uint64_t{1} << kBits) - 1);
      y = ~y & ((uint64_t{1} << kBits) - 1);
    }
    std::swap(x, y);
  }
  return out;
}

std::vector<uint64_t> hilbert_positions(std::span<const std::optional<std::string_view>> geometries) {
  std::vector<uint64_t> out(geometries.size(), kNoPlace);
  for (std::size_t i = 0; i < geometries.size(); ++i) {
    if (!geometries[i]) continue;
    try {
      if (const auto box = wkb_envelope(std::as_bytes(std::span(*geometries[i])))) out[i] = position_of(*box);
    } catch (const FormatError& error) {
      throw FormatError("geometry " + std::to_string(i) + ": " + error.message());
    }
  }
  return out;
}

RowOrder rows_by_place(const NextBatch& rows, const CrsTransformer* transformer, int jobs) {
  return sorted_rows<uint64_t>(rows, jobs,
                               [&](const arrow::RecordBatch& batch, int64_t row) -> std::optional<uint64_t> {
                                 if (const auto direct = degrees_of(batch)) {
                                   const auto wkb = binary_cell(*direct, row);
                                   const auto box = wkb ? wkb_envelope(std::as_bytes(std::span(*wkb))) : std::nullopt;
                                   if (box) return position_of(*box);
                                 }
                                 const Extent extent = extent_of_row(batch, row, transformer);
                                 return extent.spatial ? std::optional(position_of(*extent.spatial)) : std::nullopt;
                               });
}

RowOrder rows_by_time(const NextBatch& rows, int jobs) {
  return sorted_rows<int64_t>(rows, jobs, [](const arrow::RecordBatch& batch, int64_t row) -> std::optional<int64_t> {
    const Extent extent = extent_of_row(batch, row, nullptr);
    return extent.temporal ? std::optional(extent.temporal->start.microseconds) : std::nullopt;
  });
}

void check_order(const std::string& order) {
  if (order.empty() || order == kByPlace || order == kByTime) return;
  throw ValidationError("order " + in_quotes(order) + "; hilbert or time expected");
}

std::vector<int64_t> rows_in_order(const std::string& order, const NextBatch& rows, const CrsTransformer* transformer,
                                   int jobs) {
  const bool by_place = order == kByPlace;
  RowOrder out = by_place ? rows_by_place(rows, transformer, jobs) : rows_by_time(rows, jobs);
  if (out.num_unplaced > 0) {
    log::warning(std::to_string(out.num_unplaced) + " of " + std::to_string(out.rows.size()) + " samples have no " +
                 (by_place ? "location" : "time") + ", and are last in the order " + in_quotes(order));
  }
  return std::move(out.rows);
}

}  // namespace tacore
