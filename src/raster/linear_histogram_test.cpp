#include "raster/linear_histogram.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "raster/quantile_rule.hpp"
#include "tacore/error.hpp"

namespace {

using namespace tacore;

TEST_CASE("a bin includes its lower edge, and the last bin its upper edge") {
  LinearHistogram histogram(0, 200);
  CHECK(histogram.bin_of(0) == 0);
  CHECK(histogram.bin_of(1.99) == 0);
  CHECK(histogram.bin_of(2) == 1);
  CHECK(histogram.bin_of(199.99) == 99);
  CHECK(histogram.bin_of(200) == 99);
  CHECK(histogram.bin_of(-7) == 0);
  CHECK(histogram.bin_of(7e9) == 99);
  CHECK(histogram.edge(0) == 0);
  CHECK(histogram.edge(1) == 2);
  CHECK(histogram.edge(100) == 200);
}

TEST_CASE("the 256 values of 8 bits fill the bins evenly") {
  LinearHistogram histogram(0, 255);
  for (int value = 0; value < 256; ++value) histogram.add(value);
  const auto [least, most] = std::minmax_element(histogram.counts().begin(), histogram.counts().end());
  CHECK(*least == 2);
  CHECK(*most == 3);
  CHECK(histogram.count() == 256);
}

TEST_CASE("a range of one value has one bin, whose quantiles are that value") {
  LinearHistogram histogram(5, 5);
  histogram.add(5, 3);
  CHECK(histogram.counts()[0] == 3);
  CHECK(histogram.quantile(0.5) == 5);
  CHECK(histogram.quantile(1) == 5);
}

TEST_CASE("NaN and infinities are not counted, and an empty histogram has no quantile") {
  LinearHistogram histogram(0, 1);
  histogram.add(std::nan(""));
  histogram.add(std::numeric_limits<double>::infinity());
  CHECK(histogram.count() == 0);
  CHECK(std::isnan(histogram.quantile(0.5)));
}

TEST_CASE("quantiles are interpolated linearly inside their bin") {
  LinearHistogram histogram(0, 100);
  histogram.add(10.5, 4);
  histogram.add(20.5, 4);
  CHECK(histogram.quantile(0) == 10);
  CHECK(histogram.quantile(0.25) == 10.5);
  CHECK(histogram.quantile(0.5) == 11);
  CHECK(histogram.quantile(0.75) == 20.5);
  CHECK(histogram.quantile(1) == 21);
}

TEST_CASE("quantiles of a histogram are off by at most a bin") {
  std::mt19937 random(4);
  std::normal_distribution<double> normal(300, 20);
  std::vector<double> values;
  for (int i = 0; i < 10'000; ++i) values.push_back(normal(random));
  std::sort(values.begin(), values.end());
  LinearHistogram histogram(values.front(), values.back());
  for (const double value : values) histogram.add(value);
  for (const double p : {0.0, 0.01, 0.25, 0.5, 0.75, 0.95, 1.0}) {
    const double exact = interpolated_quantile(p, values.size(), [&](uint64_t i) { return values[i]; });
    CHECK(std::abs(histogram.quantile(p) - exact) <= histogram.bin_width());
  }
}

TEST_CASE("invalid ranges and quantiles outside 0 to 1 are refused") {
  CHECK_THROWS_AS(LinearHistogram(1, 0), QueryError);
  CHECK_THROWS_AS(LinearHistogram(std::nan(""), 0), QueryError);
  CHECK_THROWS_AS(LinearHistogram(0, 1).quantile(1.01), QueryError);
}

TEST_CASE("a range of all doubles does not overflow") {
  const double most = std::numeric_limits<double>::max();
  LinearHistogram histogram(-most, most);
  histogram.add(0);
  CHECK(histogram.counts()[50] == 1);
  CHECK(std::isfinite(histogram.quantile(1)));
}

TEST_CASE("a range of the least numbers there are has bins") {
  const double least = std::numeric_limits<double>::denorm_min();
  LinearHistogram histogram(-least, least);
  histogram.add(0);
  CHECK(histogram.counts()[0] == 1);
}

}  // namespace
