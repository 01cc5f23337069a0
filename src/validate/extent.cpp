#include <arrow/c/abi.h>

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "model/wkb.hpp"
#include "table/arrow_stream.hpp"
#include "table/rows.hpp"
#include "table/values.hpp"
#include "validate/rows.hpp"

namespace tacore::validator {
namespace {

/// The columns of locations, each of which a filter may use.
constexpr std::array<std::string_view, 3> kPlaces = {"stac:centroid", "istac:centroid", "istac:geometry"};
constexpr double kRounding = 1e-6;  // degrees; extents are often rounded
constexpr int64_t kSecond = 1'000'000;

/// Batches across the Arrow C interface, released in the destructor.
class Stream {
 public:
  explicit Stream(std::shared_ptr<arrow::RecordBatchReader> batches) { export_batches(std::move(batches), &stream_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() {
    drop();
    if (stream_.release) stream_.release(&stream_);
  }

  /// The first column of the next batch; nullptr at the end.
  const ArrowArray* next(const ErrorContext& where) {
    drop();
    if (stream_.get_next(&stream_, &batch_) != 0) throw FormatError(stream_.get_last_error(&stream_), where);
    return batch_.release ? batch_.children[0] : nullptr;
  }

 private:
  void drop() {
    if (batch_.release) batch_.release(&batch_);
    batch_.release = nullptr;
  }

  ArrowArrayStream stream_ = {};
  ArrowArray batch_ = {};
};

/// A cell of a binary array with 32-bit offsets; nothing for null.
std::optional<std::span<const std::byte>> wkb_cell(const ArrowArray& array, int64_t row) {
  const auto at = static_cast<std::size_t>(row + array.offset);
  const auto* valid = static_cast<const uint8_t*>(array.buffers[0]);
  if (valid && (valid[at / 8] >> at % 8 & 1) == 0) return std::nullopt;
  const auto* ends = static_cast<const int32_t*>(array.buffers[1]);
  const auto* data = static_cast<const std::byte*>(array.buffers[2]);
  return std::span(data + ends[at], static_cast<std::size_t>(ends[at + 1] - ends[at]));
}

bool covers(const BBox& extent, const BBox& place) {
  const BBox wide{extent.minx - kRounding, extent.miny - kRounding, extent.maxx + kRounding, extent.maxy + kRounding};
  return wide.intersects({place.minx, place.miny, place.minx, place.miny}) &&
         wide.intersects({place.maxx, place.maxy, place.maxx, place.maxy});
}

void tell(Report& report, int64_t num_rows, int64_t first, const std::string& column, const std::string& source,
          const ErrorContext& where) {
  report.add(source.empty() ? "COL-16" : "CAT-6",
             column + " of " + counted(static_cast<uint64_t>(num_rows), "row") + " is outside of the extent of " +
                 (source.empty() ? "the collection" : "source " + in_quotes(source)) + ", first in row " +
                 std::to_string(first),
             where);
}

/// Times that are timestamps; others are reported as FLD-1.
void check_interval(Report& report, const Extent& extent, const LevelRange& rows, const std::string& source,
                    const ErrorContext& where) {
  for (const std::string name : {"stac:time_start", "stac:time_end", "istac:time_start", "istac:time_end"}) {
    const int column = rows.table->find(name);
    if (!extent.temporal || column < 0) continue;
    int64_t num_outside = 0, first = 0;
    try {
      for (int g = 0; g < rows.table->num_row_groups(); ++g) {
        const int64_t begin = rows.table->group_begin(g);
        if (begin >= rows.end || rows.table->group_begin(g + 1) <= rows.begin) continue;
        const auto values = read_values(*rows.table->decode(column, g));
        for (std::size_t i = 0; i < values.size(); ++i) {
          const auto row = begin + static_cast<int64_t>(i);
          const auto* time = values[i].get<Timestamp>();
          // Extents are often truncated to seconds.
          const bool is_inside = !time || (time->microseconds > extent.temporal->start.microseconds - kSecond &&
                                           time->microseconds < extent.temporal->end.microseconds + kSecond);
          if (row < rows.begin || row >= rows.end || is_inside) continue;
          if (num_outside++ == 0) first = row - rows.begin;
        }
      }
    } catch (const Error&) {
      continue;
    }
    if (num_outside > 0) tell(report, num_outside, first, name, source, where);
  }
}

void check_places(Report& report, const BBox& extent, const LevelRange& rows, const std::string& name,
                  const std::string& source, const ErrorContext& where) {
  const int column = rows.table->find(name);
  if (column < 0 || rows.table->columns()[static_cast<std::size_t>(column)].type != "binary") return;
  int64_t num_outside = 0, first = 0, row = 0;
  try {
    auto wanted = level_rows(rows.table, std::nullopt, rows.begin, rows.end - rows.begin);
    Stream stream(batch_reader(std::move(wanted), {{.name = "place", .column = column}}));
    while (const ArrowArray* places = stream.next(where)) {
      for (int64_t i = 0; i < places->length; ++i, ++row) {
        const auto wkb = wkb_cell(*places, i);
        const auto place = wkb ? wkb_envelope(*wkb) : std::nullopt;
        if (!place || covers(extent, *place)) continue;
        if (num_outside++ == 0) first = row;
      }
    }
  } catch (const Error&) {
    return;  // invalid WKB has no location; tables that cannot be decoded are SCH-1
  }
  if (num_outside > 0) tell(report, num_outside, first, name, source, where);
}

}  // namespace

void check_extent(Report& report, const Extent& extent, const LevelRange& rows, const std::string& source,
                  const ErrorContext& where) {
  check_interval(report, extent, rows, source, where);
  if (!extent.spatial) return;
  for (const auto name : kPlaces) check_places(report, *extent.spatial, rows, std::string(name), source, where);
}

}  // namespace tacore::validator
