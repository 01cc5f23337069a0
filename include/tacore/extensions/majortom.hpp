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
  double dist_km = 100;       ///< the least distance between grid points; > 0
  double min_latitude = -85;  ///< rows of the grid outside of the latitudes are left out
  double max_latitude = 85;
  double min_longitude = -180;  ///< the same for columns
  double max_longitude = 180;
  std::string sep = "_";
  double equator_radius_km = 6378.137;
};

/// A cell, counted from the equator and from Greenwich: row -1 is `0001D`, column 0 is `0000R`.
struct MajorTomCell {
  int64_t row = 0;
  int64_t column = 0;

  bool operator==(const MajorTomCell&) const = default;
};

/// The first and the last row, or column; both are included.
struct MajorTomRange {
  int64_t first = 0;
  int64_t last = 0;

  bool operator==(const MajorTomRange&) const = default;
};

/// The grid of Major TOM: rows of equal latitude, each with as many columns as keep the distance. A cell is named after
/// its anchor, the grid point at its south-western corner. Cells are computed when asked for: the grid takes no memory,
/// however fine it is.
///
///     const MajorTomGrid grid({.dist_km = 10});
///     grid.code(grid.latlon2rowcol(39.5, -0.4));  // "0010km_0439U_0004L"
class TACORE_EXPORT MajorTomGrid {
 public:
  /// Throws SchemaError for a distance that is not positive and for ranges without a row.
  explicit MajorTomGrid(const MajorTomOptions& options = {});

  /// The cell of a position. One on an anchor belongs to the cell south and west of it; one beyond the first or last
  /// row to that row, one west of all anchors (and NaN) to the last column.
  MajorTomCell latlon2rowcol(double lat, double lon) const noexcept;
  /// The anchor of a cell. Throws SchemaError for one that is not in the grid.
  LonLat rowcol2latlon(const MajorTomCell& cell) const;
  LonLat rowcol2latlon(std::string_view row_label, std::string_view column_label) const;

  MajorTomRange rows() const noexcept { return rows_; }
  /// The columns of a row; in a row without an anchor within the longitudes there is one, 0, at -180 degrees.
  MajorTomRange columns(int64_t row) const noexcept;

  /// `0054U` at and north of the equator, `0001D` south of it.
  std::string row_label(const MajorTomCell& cell) const;
  /// `0001R` at and east of Greenwich, `0001L` west of it.
  std::string column_label(const MajorTomCell& cell) const;
  /// `0100km_0054U_0001R`
  std::string code(const MajorTomCell& cell) const;

 private:
  TACORE_HIDDEN int64_t num_columns(int64_t row) const noexcept;

  MajorTomOptions options_;
  int64_t num_rows_;
  MajorTomRange rows_;
};

/// `majortom:code`: the cell around each sample's centroid (`stac:centroid`, or else `istac:centroid`); null where that
/// is null or no point. Throws SchemaError when there is neither column.
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
