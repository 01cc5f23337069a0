#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/grid_footprint.hpp"
#include "table/level_table.hpp"
#include "tacore/collection.hpp"
#include "tacore/crs.hpp"
#include "tacore/error.hpp"

namespace tacore {

/// Whether a column of this name says where samples lie: `stac:centroid`, `stac:geotransform`, `istac:geometry`,
/// `istac:centroid`.
bool is_place_column(std::string_view name);

/// The extent of rows (§5.5.2), of any number of tables: the union of their footprints and of their times.
///
/// The place of a row is that of each family, `stac` and `istac`: its geometry (in the CRS beside it, without one in
/// longitudes and latitudes), else the corners of its grid (CRS, shape and geotransform), else its centroid. Times are
/// `time_start`, `time_middle` and `time_end` of both, of any type that filters take: timestamps, dates, RFC 3339 text,
/// and epochs, whose unit is told by the magnitude of each.
class ExtentSum {
 public:
  /// `transformer`, for a CRS that is not built in, is kept.
  explicit ExtentSum(const CrsTransformer* transformer = nullptr) : transformer_(transformer) {}

  void add(const arrow::Table& rows, int level);
  /// Decodes no other columns. Throws what decode() throws.
  void add(const LevelTable& rows);
  /// `count` rows of a batch, from `begin` on, which follow those that were added.
  void add(const arrow::RecordBatch& rows, int64_t begin, int64_t count, const ErrorContext& where);
  /// What was added to another.
  void add(const ExtentSum& more);

  /// Each part absent where no row says it. The box goes the shorter way around the globe (minx > maxx across the
  /// antimeridian).
  Extent extent() const;

  /// The first place that cannot be read, which the extent leaves out: what is no geometry, and latitudes beyond the
  /// poles.
  const std::optional<SchemaError>& fault() const noexcept { return fault_; }
  /// What else the extent lacks, a sentence each: footprints in a CRS that is not known, for which centroids stand, and
  /// text that is no time.
  std::vector<std::string> gaps() const;
  std::vector<std::string> gaps_of_places() const;
  /// Whether each row that was added has a footprint, or without one a centroid that stands for nothing else.
  bool is_place_complete() const noexcept { return num_rows_ > 0 && num_placed_ == num_rows_; }

 private:
  struct Rows;

  void add(const arrow::RecordBatch& rows, int64_t first, const ErrorContext& where);
  bool add_geometry(const Rows& rows, const char* name, int64_t row);
  bool add_grid(const Rows& rows, int64_t row);
  void add_box(const std::string& crs, const BBox& box);
  void add_footprint(const Grid& grid);
  void add_degrees(BBox box);
  void add_boxes(const std::vector<BBox>& more);
  void add_time(const arrow::Array& column, int64_t row);
  void lack_footprint(const std::string& crs);
  bool is_known(const std::string& crs);

  const CrsTransformer* transformer_;
  std::map<std::string, bool> known_ = {};  ///< systems that were asked for
  std::vector<BBox> boxes_ = {};
  std::optional<TimeRange> times_ = {};
  std::optional<SchemaError> fault_ = {};
  std::map<std::string, int64_t> without_footprint_ = {};  ///< rows, by their CRS
  int64_t num_bad_times_ = 0;
  int64_t num_rows_ = 0, num_placed_ = 0, num_lacking_ = 0;
};

}  // namespace tacore
