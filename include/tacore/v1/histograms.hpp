#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tacore/dataframe.hpp"
#include "tacore/dataset.hpp"
#include "tacore/raster/tensor.hpp"
#include "tacore/visibility.hpp"

/// The precomputed histograms of a streaming TACO 0.2.0.
namespace tacore::v1 {

/// The histogram of the valid pixels of a band: 100 bins of equal width from the minimum to the maximum of the whole
/// dataset.
struct TACORE_EXPORT BandHistogram {
  double min = 0, max = 0;            ///< of the dataset; NaN where it has no valid pixel
  std::vector<uint64_t> counts = {};  ///< 100

  uint64_t count() const;
  /// The quantile `p`, interpolated linearly within its bin, so off by at most a bin; NaN without pixels. Throws
  /// QueryError for p outside of [0, 1].
  double quantile(double p) const;
  /// The mean of the middles of the bins; NaN without pixels.
  double mean() const;
  double standard_deviation() const;
  /// The scale that maps the quantile `low` to 0 and `high` to 1, for TensorOptions::scale; where they are equal their
  /// difference is taken as 1. Throws QueryError without pixels, and unless 0 <= low <= high <= 1.
  Scale scale(double low = 0.025, double high = 0.985) const;
};

/// The histograms of the rasters at one path below each sample.
struct ComponentHistogram {
  std::string component = {};  ///< "lrf", "a/x"; "." where the samples are rasters
  std::vector<BandHistogram> bands = {};
  int64_t num_samples = 0;  ///< that are in it
  /// The file has counts relative to the largest only (8 bits): sums weigh samples wrongly.
  bool is_relative = false;
};

/// The precomputed histograms of a streaming TACO, of the samples of a frame together: one, some or all of level 0. No
/// pixels are read. Empty when the dataset has none. Throws QueryError for rows that are not at level 0;
/// NavigationError for rows that a query stripped of what navigation needs; FormatError for histograms that lie, and
/// for samples of datasets whose histograms have different ranges; IoError.
TACORE_EXPORT std::vector<ComponentHistogram> histograms(const DataFrame& samples);
/// Of all samples of a view.
TACORE_EXPORT std::vector<ComponentHistogram> histograms(const Dataset& dataset);

}  // namespace tacore::v1
