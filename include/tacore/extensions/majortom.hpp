#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tacore/crs.hpp"
#include "tacore/write/extension.hpp"

namespace tacore::extensions {

/// The spacing and the limits of a Major TOM grid.
struct MajorTomOptions {
  double dist_km = 100;  ///< minimal distance between grid points, > 0
  /// Rows of the grid outside of these latitudes are left out.
  double min_latitude = -85;
  double max_latitude = 85;
  /// Columns of the grid outside of these longitudes are left out.
  double min_longitude = -180;
  double max_longitude = 180;
  std::string sep = "_";  ///< separator in code()
  double equator_radius_km = 6378.137;
};

/// A cell of a Major TOM grid, counted from the equator and from Greenwich: row -1 is `0001D`, column 0 is `0000R`.
struct MajorTomCell {
  int64_t row = 0;
  int64_t column = 0;

  bool operator==(const MajorTomCell&) const = default;
};

/// A range of rows or columns of a Major TOM grid; both ends are included.
struct MajorTomRange {
  int64_t first = 0;
  int64_t last = 0;

  bool operator==(const MajorTomRange&) const = default;
};

/// The Major TOM grid: rows of equal latitude, each with as many columns as keep the distance. A cell is named after
/// its anchor, the grid point at its south-western corner. Cells are computed on demand: the grid takes no memory,
/// however fine it is.
///
///     const MajorTomGrid grid({.dist_km = 10});
///     grid.code(grid.latlon2rowcol(39.5, -0.4));  // "0010km_0439U_0004L"
class TACORE_EXPORT MajorTomGrid {
 public:
  /// Throws SchemaError for a distance that is not positive and for limits without a row.
  explicit MajorTomGrid(const MajorTomOptions& options = {});

  /// The cell that contains a point. A point on an anchor belongs to the cell south and west of it; a point beyond the
  /// first or last row to that row; a point west of all anchors (and NaN) to the last column.
  MajorTomCell latlon2rowcol(double lat, double lon) const noexcept;
  /// The anchor of a cell. Throws SchemaError for a cell outside of the grid.
  LonLat rowcol2latlon(const MajorTomCell& cell) const;
  LonLat rowcol2latlon(std::string_view row_label, std::string_view column_label) const;

  MajorTomRange rows() const noexcept { return rows_; }
  /// The columns of a row; a row without an anchor within the longitudes has only column 0, at -180 degrees.
  MajorTomRange columns(int64_t row) const noexcept;

  /// The label of a row: `0054U` at and north of the equator, `0001D` south of it.
  std::string row_label(const MajorTomCell& cell) const;
  /// The label of a column: `0001R` at and east of Greenwich, `0001L` west of it.
  std::string column_label(const MajorTomCell& cell) const;
  /// The code of a cell: `0100km_0054U_0001R`.
  std::string code(const MajorTomCell& cell) const;

 private:
  TACORE_HIDDEN int64_t num_columns(int64_t row) const noexcept;

  MajorTomOptions options_;
  int64_t num_rows_;
  MajorTomRange rows_;
};

/// The column `majortom:code`: the Major TOM cell that contains each sample's centroid (`stac:centroid`, or else
/// `istac:centroid`). It is null where the centroid is null or not a point. Throws SchemaError when neither column
/// exists.
///
///     tortilla = tortilla.extend_with(MajorTOM({.dist_km = 10}));
class TACORE_EXPORT MajorTOM : public TortillaExtension {
 public:
  explicit MajorTOM(const MajorTomOptions& options = {});
  std::vector<FieldDescription> schema() const override;
  std::vector<std::vector<Value>> compute(const Tortilla& tortilla) const override;

 private:
  MajorTomGrid grid_;
};

}  // namespace tacore::extensions
