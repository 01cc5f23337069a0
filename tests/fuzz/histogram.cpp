#include "tacore/raster/histogram.hpp"

#include <cmath>

#include "fuzz.hpp"

/// The input is a stored histogram.
namespace tacore::fuzz {
namespace {

void run(Input bytes) {
  expect_errors_only([&] {
    const Binary stored{std::string(text_of(bytes))};
    const Histogram histogram = Histogram::decode(stored);
    require(histogram.encode().bytes == stored.bytes, "what is decoded is encoded as it was");
    double before = histogram.min();
    for (const double p : {0.0, 0.02, 0.5, 0.98, 1.0}) {
      const double found = histogram.quantile(p);
      require(histogram.count() > 0 ? found >= before && found <= histogram.max() : std::isnan(found),
              "quantiles ascend, from the least number to the greatest");
      before = found;
    }
    Histogram twice = histogram;
    expect_errors_only([&] {
      twice.merge(histogram);
      require(twice.count() == 2 * histogram.count(), "histograms add up");
      require(twice.bins().size() == histogram.bins().size(), "in the same bins");
      require(Histogram::decode(twice.encode()) == twice, "a sum is stored, too");
    });
  });
}

}  // namespace
}  // namespace tacore::fuzz

TACORE_FUZZ_TARGET(tacore::fuzz::run)
