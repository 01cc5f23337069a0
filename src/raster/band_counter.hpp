#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>

#include "tacore/raster/pixel_statistics.hpp"

namespace tacore {

/// Takes the pixels of a band piece by piece.
class BandCounter {
 public:
  virtual ~BandCounter();
  /// Pixels of the type that it was made for.
  virtual void add(std::span<const std::byte> pixels) = 0;
  /// The statistics of what was added since it was made or asked last.
  virtual BandStatistics finish() = 0;
};

/// `nodata` as RasterInfo has it: pixels equal to it, once it is rounded to their type, do not count.
std::unique_ptr<BandCounter> make_band_counter(DataType type, std::optional<double> nodata);

/// The values among `pixels` that are valid, in their order, as doubles.
void append_valid(std::span<const std::byte> pixels, DataType type, std::optional<double> nodata,
                  std::vector<double>& out);

/// Counts what append_valid() gives for pixels of `type`, in ascending order.
std::vector<Histogram::Bin> count_values(std::span<const double> values, DataType type);

}  // namespace tacore
