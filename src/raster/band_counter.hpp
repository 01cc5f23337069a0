#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>

#include "tacore/raster/pixel_statistics.hpp"

namespace tacore {

/// Statistics of one band, computed from its pixels piece by piece.
class BandCounter {
 public:
  virtual ~BandCounter();
  /// Adds pixels, which are of the type that the counter was made for.
  virtual void add(std::span<const std::byte> pixels) = 0;
  /// The statistics of the pixels that were added since the counter was made or finish() was last called.
  virtual BandStatistics finish() = 0;
};

/// A counter for pixels of `type`. Pixels equal to `nodata` (RasterInfo::nodata, rounded to `type`) do not count.
std::unique_ptr<BandCounter> make_band_counter(DataType type, std::optional<double> nodata);

/// Appends the valid values of `pixels`, in their order, as doubles.
void append_valid(std::span<const std::byte> pixels, DataType type, std::optional<double> nodata,
                  std::vector<double>& out);

/// The distinct values and their counts, ascending, for what append_valid() gave of pixels of `type`.
std::vector<Histogram::Bin> count_values(std::span<const double> values, DataType type);

}  // namespace tacore
