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

/// True for the names of columns that locate samples: `stac:centroid`, `stac:geotransform`, `istac:geometry`,
/// `istac:centroid`.
bool is_place_column(std::string_view name);
/// True for the names of columns of times: `time_start`, `time_middle` and `time_end` of `stac` and `istac`.
bool is_time_column(std::string_view name);

/// The numbers of the columns of a level that ExtentSum reads.
std::vector<int> columns_of_extent(const LevelTable& level);

/// The first and the last microsecond of a time; nullopt for null and for an invalid time.
std::optional<TimeRange> time_of(const arrow::Array& column, int64_t row);

/// The extent of rows (§5.5.2) of any number of tables: the union of their footprints and of their times.
///
/// A row is located by each family, `stac` and `istac`: by its geometry (in the CRS beside it, else in longitude and
/// latitude), else by the corners of its grid (CRS, shape and geotransform), else by its centroid. Times are
/// `time_start`, `time_middle` and `time_end` of both, of any type that filters take: timestamps, dates, RFC 3339 text,
/// and epochs, whose unit follows from the magnitude of each.
class ExtentSum {
 public:
  /// `transformer`, for a CRS that is not built in, must outlive this object.
  explicit ExtentSum(const CrsTransformer* transformer = nullptr) : transformer_(transformer) {}

  void add(const arrow::Table& rows, int level);
  /// Adds the rows of a level and decodes only the columns that are needed. Throws as LevelTable::decode().
  void add(const LevelTable& rows);
  /// Adds `count` rows of a batch, from `begin` on, which follow the rows added so far.
  void add(const arrow::RecordBatch& rows, int64_t begin, int64_t count, const ErrorContext& where);
  /// Adds the rows that were added to `more`.
  void add(const ExtentSum& more);

  /// The extent; a part is absent where no row states it. The box takes the shorter way around the globe (minx > maxx
  /// when it crosses the antimeridian).
  Extent extent() const;

  /// The first location that cannot be read, which the extent omits: an invalid geometry, or a latitude beyond the
  /// poles.
  const std::optional<SchemaError>& fault() const noexcept { return fault_; }
  /// Other gaps of the extent, a sentence each: footprints in an unknown CRS, replaced by centroids, and invalid times.
  std::vector<std::string> gaps() const;
  std::vector<std::string> gaps_of_places() const;
  /// True when each row that was added has a footprint, or a centroid that replaces no footprint.
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
  std::map<std::string, bool> known_ = {};  ///< whether each CRS is known
  std::vector<BBox> boxes_ = {};
  std::optional<TimeRange> times_ = {};
  std::optional<SchemaError> fault_ = {};
  std::map<std::string, int64_t> without_footprint_ = {};  ///< number of rows, by their CRS
  int64_t num_bad_times_ = 0;
  int64_t num_rows_ = 0, num_placed_ = 0, num_lacking_ = 0;
};

}  // namespace tacore
