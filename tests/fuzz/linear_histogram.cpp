#include "raster/linear_histogram.hpp"

#include <bit>
#include <vector>

#include "base/little_endian.hpp"
#include "fuzz.hpp"

/// The input is a range, a value and counts, as the file of histograms of a streaming TACO has them.
namespace tacore::fuzz {
namespace {

void run(Input bytes) {
  expect_errors_only([&] {
    Cursor in(bytes, "input");
    const double low = std::bit_cast<double>(in.u64()), high = std::bit_cast<double>(in.u64());
    const double value = std::bit_cast<double>(in.u64());
    std::vector<uint32_t> counts;
    while (in.remaining() >= 4) counts.push_back(in.u32());
    counts.resize(LinearHistogram::kBins);
    LinearHistogram histogram(low, high);
    for (std::size_t bin = 0; bin < counts.size(); ++bin)
      histogram.add(histogram.edge(bin) + histogram.bin_width() / 2, counts[bin]);
    histogram.add(value);
    require(histogram.bin_of(value) < LinearHistogram::kBins, "a value has a bin");
    for (const double p : {0.0, 0.02, 0.5, 0.98, 1.0}) {
      if (histogram.count() == 0) break;
      const double found = histogram.quantile(p);
      require(found >= low && found <= high, "a quantile lies in the range");
    }
  });
}

}  // namespace
}  // namespace tacore::fuzz

TACORE_FUZZ_TARGET(tacore::fuzz::run)
