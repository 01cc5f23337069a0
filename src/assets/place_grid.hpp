#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <utility>
#include <vector>

#include "tacore/crs.hpp"

namespace tacore::assets {

/// Cells on the globe, to find what is near a place: all within `reach` degrees of latitude of it are in the cells
/// around it.
class PlaceGrid {
 public:
  using Cell = std::pair<int64_t, int64_t>;

  explicit PlaceGrid(double reach) : reach_(reach) {}

  Cell cell_of(const LonLat& place) const {
    const int64_t row = row_of(place.lat);
    return {row, column_of(place.lon, columns_of(row))};
  }

  /// The cell of a place and its neighbours, each once.
  std::vector<Cell> around(const LonLat& place) const {
    std::vector<Cell> out;
    const int64_t middle = row_of(place.lat);
    for (int64_t row = middle - 1; row <= middle + 1; ++row) {
      const int64_t columns = columns_of(row), centre = column_of(place.lon, columns);
      std::vector<int64_t> near{centre, (centre + 1) % columns, (centre + columns - 1) % columns};
      std::ranges::sort(near);
      near.erase(std::unique(near.begin(), near.end()), near.end());
      for (const int64_t column : near) out.emplace_back(row, column);
    }
    return out;
  }

 private:
  int64_t row_of(double lat) const { return static_cast<int64_t>(std::floor((lat + 90) / reach_)); }

  /// Columns become fewer towards the poles.
  int64_t columns_of(int64_t row) const {
    const double lat = (static_cast<double>(row) + 0.5) * reach_ - 90;
    const double width = 360 * std::cos(std::clamp(lat, -90.0, 90.0) * std::numbers::pi / 180) / reach_;
    return std::max<int64_t>(1, static_cast<int64_t>(width / 2));
  }

  static int64_t column_of(double lon, int64_t columns) {
    const double turn = (std::remainder(lon, 360) + 180) / 360;
    return std::min(columns - 1, static_cast<int64_t>(turn * static_cast<double>(columns)));
  }

  double reach_;
};

}  // namespace tacore::assets
