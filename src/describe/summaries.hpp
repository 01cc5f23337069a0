#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "describe/facts.hpp"
#include "tacore/error.hpp"
#include "tacore/interrupt.hpp"
#include "tacore/raster/pixel_statistics.hpp"

/// What a page shows of all samples: how many there are of each kind, and the statistics that they store.
namespace tacore::descriptions {

/// Calls `body`. A page is made without what cannot be decoded or is not there, so such an error ends `body` alone. One
/// of the disk, the network or the user, who stops the call, is an error of the page: it would differ the next time.
template <class Body>
void if_possible(const Body& body) {
  throw_if_interrupted();
  try {
    body();
  } catch (const IoError& error) {
    if (!error.not_found()) throw;
  } catch (const Error&) {
    throw_if_interrupted();
  }
}

/// The values of a column of level 0, the most frequent first, and the number of samples that have each.
struct ValueCounts {
  std::string column = {};
  std::vector<std::pair<std::string, uint64_t>> counts = {};
};

/// The counts of the split, of columns that are called labels or classes, and of other columns of few values.
std::vector<ValueCounts> value_counts(const Dataset& dataset, const Facts& facts);

/// The stored statistics of the bands of the samples, or of one child of each.
struct BandStatisticsSummary {
  std::string child = {};  ///< "": of the samples themselves
  std::vector<BandSummary> bands = {};
  std::vector<Histogram> histograms = {};  ///< of each band; none where none are stored
  int64_t num_samples = 0;                 ///< in the histograms
};

/// The statistics that samples store; no pixel is decoded.
std::vector<BandStatisticsSummary> stored_band_statistics(const Dataset& dataset, const Facts& facts);

/// "12.9 MB in 1 file": the size of a local dataset; "" where that is unknown.
std::string download_in_words(const Facts& facts);

}  // namespace tacore::descriptions
