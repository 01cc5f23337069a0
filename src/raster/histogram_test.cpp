#include "tacore/raster/histogram.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <string>

#include "raster/quantile_rule.hpp"
#include "support/support.hpp"
#include "tacore/error.hpp"

namespace {

using namespace tacore;

Histogram of(const std::vector<double>& values) {
  Histogram out;
  for (const double value : values) out.add(value);
  return out;
}

/// The definition: sorts and interpolates.
double naive(std::vector<double> values, double p) {
  std::sort(values.begin(), values.end());
  return interpolated_quantile(p, values.size(), [&](uint64_t i) { return values[i]; });
}

Histogram sorted_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  std::vector<Histogram::Bin> bins;
  for (const double value : values) {
    if (bins.empty() || bins.back().value != value) bins.push_back({value, 0});
    ++bins.back().count;
  }
  Histogram out;
  out.add(bins);
  return out;
}

std::string why_not(std::string bytes) {
  try {
    Histogram::decode({std::move(bytes)});
  } catch (const FormatError& error) {
    return error.what();
  }
  return "";
}

const std::vector<double> kShares = {0, 1e-6, 0.01, 0.25, 0.5, 0.75, 0.9, 0.95, 0.999, 1};

/// Distributions that bins find hard.
std::vector<std::vector<double>> samples(std::size_t size) {
  std::mt19937_64 random(7);
  std::vector<std::vector<double>> out(7);
  std::normal_distribution<double> normal(283, 12);
  std::lognormal_distribution<double> wide(0, 4);
  std::uniform_real_distribution<double> flat(-1, 1);
  for (std::size_t i = 0; i < size; ++i) {
    out[0].push_back(normal(random));
    out[1].push_back(wide(random));
    out[2].push_back(flat(random));
    out[3].push_back(static_cast<float>(normal(random)));
    out[4].push_back(i % 100 == 0 ? -3.4028234663852886e38 : normal(random));  // an undeclared no-data value
    out[5].push_back(std::ldexp(flat(random), -1040));                         // subnormal
    out[6].push_back(i % 2 == 0 ? 1e300 * flat(random) : flat(random));
  }
  return out;
}

}  // namespace

TEST_CASE("quantiles equal numpy's while values are counted one by one") {
  const Histogram histogram = of({4, 1, 3, 2});
  CHECK(histogram.error_bound() == 0);
  CHECK(histogram.quantile(0) == 1);
  CHECK(histogram.quantile(0.25) == 1.75);
  CHECK(histogram.quantile(0.5) == 2.5);
  CHECK(histogram.quantile(0.95) == doctest::Approx(3.85).epsilon(1e-15));
  CHECK(histogram.quantile(1) == 4);
  CHECK(of({7}).quantile(0.3) == 7);
}

TEST_CASE("an empty histogram has no quantile, minimum or maximum") {
  const Histogram none;
  CHECK(none.count() == 0);
  CHECK(std::isnan(none.quantile(0.5)));
  CHECK(std::isnan(none.min()));
  CHECK(std::isnan(none.max()));
  CHECK(none == Histogram::decode(none.encode()));
}

TEST_CASE("NaN as a value and a quantile outside 0 to 1 are refused") {
  Histogram histogram = of({1});
  CHECK_THROWS_WITH_AS(histogram.add(std::nan("")), "a histogram counts finite numbers, found nan", QueryError);
  CHECK_THROWS_AS(histogram.add(std::numeric_limits<double>::infinity()), QueryError);
  CHECK_THROWS_WITH_AS(histogram.quantile(1.5), "quantile 1.500000 is outside [0, 1]", QueryError);
  CHECK_THROWS_AS(histogram.quantile(-0.1), QueryError);
  CHECK_THROWS_AS(histogram.quantile(std::nan("")), QueryError);
  CHECK(histogram == of({1}));
}

TEST_CASE("all integers of 16 bits are counted exactly") {
  std::vector<Histogram::Bin> bins;
  for (int value = -32768; value <= 32767; ++value) bins.push_back({static_cast<double>(value), 3});
  Histogram histogram;
  histogram.add(bins);
  CHECK(histogram.bins().size() == Histogram::kMaxBins);
  CHECK(histogram.error_bound() == 0);
  CHECK(histogram.quantile(0.5) == -0.5);
  histogram.add(0.5);  // one number more than there is room for
  CHECK(histogram.bins().size() <= Histogram::kMaxBins);
  CHECK(histogram.bin_width() == 1);
  CHECK(histogram.count() == 3 * 65536 + 1);
}

TEST_CASE("quantiles are off by at most half a bin, for any values") {
  for (const auto& values : samples(200'000)) {
    const Histogram histogram = sorted_of(values);
    CAPTURE(values[1]);
    CHECK(histogram.bins().size() <= Histogram::kMaxBins);
    CHECK(histogram.bins().size() > Histogram::kMaxBins / 4);
    CHECK(histogram.error_bound() > 0);
    for (const double p : kShares) {
      CAPTURE(p);
      // The bound is of the numbers; telling them apart rounds once more.
      const double exact = naive(values, p);
      CHECK(std::abs(histogram.quantile(p) - exact) <= histogram.error_bound() + std::abs(exact) * 1e-15);
    }
  }
}

TEST_CASE("an outlier takes one bin and does not reduce the resolution") {
  const auto values = samples(200'000);
  CHECK(sorted_of(values[4]).error_bound() == sorted_of(values[0]).error_bound());
  CHECK(sorted_of(values[4]).error_bound() < 0.001);
}

TEST_CASE("histograms merged in any order and grouping equal that of all values") {
  std::mt19937_64 random(3);
  for (const auto& values : samples(150'000)) {
    const Histogram whole = sorted_of(values);
    for (int attempt = 0; attempt < 3; ++attempt) {
      std::vector<Histogram> parts;
      for (std::size_t begin = 0; begin < values.size();) {
        const std::size_t end = std::min<std::size_t>(begin + 1 + random() % 60'000, values.size());
        parts.push_back(sorted_of(
            {values.begin() + static_cast<std::ptrdiff_t>(begin), values.begin() + static_cast<std::ptrdiff_t>(end)}));
        begin = end;
      }
      while (parts.size() > 1) {
        std::shuffle(parts.begin(), parts.end(), random);
        parts[parts.size() - 2].merge(parts.back());
        parts.pop_back();
      }
      CHECK(parts.front() == whole);
      CHECK(parts.front().encode() == whole.encode());
    }
  }
}

TEST_CASE("a histogram merged with itself has doubled counts, and merged with an empty one is unchanged") {
  Histogram twice = of({1, 2, -3.5});
  twice.merge(twice);
  CHECK(twice == of({1, 2, -3.5, 1, 2, -3.5}));
  twice.merge({});
  CHECK(twice.count() == 6);
  Histogram empty;
  empty.merge(twice);
  CHECK(empty == twice);
}

TEST_CASE("a stored histogram is read back unchanged") {
  for (const std::vector<double>& values :
       {std::vector<double>{}, {0}, {-0.0, 0.0}, {-1, 1}, {1e-320, -1e308, 65535, 0.1}, {1000, 1001, 1002, 1004}}) {
    const Histogram histogram = of(values);
    CHECK(Histogram::decode(histogram.encode()) == histogram);
  }
  for (const auto& values : samples(100'000)) {
    const Histogram histogram = sorted_of(values);
    CHECK(Histogram::decode(histogram.encode()) == histogram);
  }
}

TEST_CASE("2^64 - 1 values have quantiles, and one more is refused") {
  Histogram all;
  all.add(1, UINT64_MAX - 1);
  all.add(2);
  CHECK(all.quantile(0) == 1);
  CHECK(all.quantile(1) == 2);
  Histogram more = all;
  CHECK_THROWS_WITH_AS(more.add(3), "histogram: counts overflow", FormatError);
  CHECK_THROWS_WITH_AS(more.merge(all), "histogram: counts overflow", FormatError);
  CHECK(more == all);
}

TEST_CASE("the stored form takes two or three bytes per distinct pixel value") {
  Histogram histogram;
  for (int value = 1000; value < 3000; ++value) histogram.add(value, 32);
  CHECK(histogram.encode().bytes.size() < 2000 * 2 + 40);
}

TEST_CASE("the stored form of a histogram has these bytes") {
  // version 1, exact (-1074), 51 trailing zeros, -1, 3; one negative: 1.0 at 2046 steps; two positive: 2 at 2048, 3 a
  // step behind.
  const unsigned char bytes[] = {1, 0xCE, 0xFB, 51, 0,    0, 0,    0,    0, 0, 0xF0, 0xBF, 0, 0, 0,
                                 0, 0,    0,    8,  0x40, 1, 0xFE, 0x0F, 1, 2, 0x80, 0x10, 4, 1, 1};
  const std::string expected(reinterpret_cast<const char*>(bytes), sizeof bytes);
  Histogram histogram = of({-1, 3});
  histogram.add(2, 4);
  CHECK(histogram.encode().bytes == expected);
}

TEST_CASE("malformed stored bytes are refused") {
  Histogram made = of({-1, 3});
  made.add(2, 4);
  const std::string good = made.encode().bytes;
  const auto with = [&](std::size_t at, int byte) {
    std::string out = good;
    out[at] = static_cast<char>(byte);
    return why_not(out);
  };
  for (std::size_t size = 0; size < good.size(); ++size) CHECK(why_not(good.substr(0, size)) != "");
  CHECK(why_not(good + '\0') == "histogram: 1 bytes behind its end");
  CHECK(with(0, 2) == "histogram: version 2, expected 1");
  CHECK(with(2, 0x7F).find("histogram: bins of width 2^32718") == 0);
  CHECK(has_text(with(3, 64), "a shift of 64"));
  CHECK(with(3, 50) != "");  // another shift
  CHECK(with(10, 0) == "histogram: least and greatest number are not those of its bins");
  CHECK(with(20, 100).find("histogram: 100 bins in 9 bytes") == 0);
  CHECK(with(23, 0) == "histogram: an empty bin");
  CHECK(with(28, 0) == "histogram: bins are not ascending finite numbers");  // 2 twice
  CHECK(with(29, 0x80) == "histogram is truncated: needs 1 more bytes, found 0 (byte 30)");
  std::string coarse = good;
  coarse[1] = 1, coarse[2] = 0;  // 2 wide, but -1 and 3 are no multiples
  CHECK(why_not(coarse) == "histogram: a bin does not begin at a multiple of its width");
  std::string overflow = good.substr(0, 27);
  overflow += std::string(9, '\xFF') + "\x01\x01\x01";
  CHECK(why_not(overflow) == "histogram: counts overflow");
}
