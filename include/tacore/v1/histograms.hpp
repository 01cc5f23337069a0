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
///
///     const auto rasters = v1::histograms(load("stream.taco"));
///     const Scale stretch = rasters[0].bands[0].scale();  // of the first raster of each sample, band 1
struct TACORE_EXPORT BandHistogram {
  double min = 0, max = 0;            ///< of the dataset; NaN when it has no valid pixel
  std::vector<uint64_t> counts = {};  ///< number of pixels in each of the 100 bins

  /// The number of pixels.
  uint64_t count() const;
  /// The quantile `p`, interpolated linearly within its bin, with an error of at most one bin; NaN without pixels.
  /// Throws QueryError for p outside of [0, 1].
  double quantile(double p) const;
  /// The mean, computed from the centres of the bins; NaN without pixels.
  double mean() const;
  /// The standard deviation, computed from the centres of the bins; NaN without pixels.
  double standard_deviation() const;
  /// The scale that maps the quantile `low` to 0 and `high` to 1, for TensorOptions::scale; where they are equal their
  /// difference is taken as 1. Throws QueryError without pixels, and unless 0 <= low <= high <= 1.
  Scale scale(double low = 0.025, double high = 0.985) const;
};

/// The histograms of the rasters at one path of ids below each sample.
struct ComponentHistogram {
  std::string component = {};  ///< path of ids: "lrf", "a/x"; "." when the samples are the rasters
  std::vector<BandHistogram> bands = {};
  int64_t num_samples = 0;  ///< number of samples that are included
  /// True when the file stores counts relative to the largest one only (8 bits); sums over samples are then weighted
  /// wrongly.
  bool is_relative = false;
};

/// The precomputed histograms of a streaming TACO, summed over the samples of a DataFrame: one, some or all of level 0.
/// No pixels are read. Empty when the dataset has none. Throws QueryError for rows that are not at level 0;
/// NavigationError for rows whose query dropped the columns that navigation needs; FormatError for invalid histograms,
/// and for samples of datasets whose histograms have different ranges; IoError.
TACORE_EXPORT std::vector<ComponentHistogram> histograms(const DataFrame& samples);
/// The precomputed histograms of all samples of a dataset, as above.
TACORE_EXPORT std::vector<ComponentHistogram> histograms(const Dataset& dataset);

}  // namespace tacore::v1
