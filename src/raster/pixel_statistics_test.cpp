#include "tacore/raster/pixel_statistics.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "raster/quantile_rule.hpp"
#include "support/raster_data.hpp"
#include "tacore/error.hpp"

namespace {

using namespace tacore;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();
const std::vector<double> kShares = {0, 0.25, 0.5, 0.75, 0.95, 1};

/// What the numbers are by definition, in long double.
struct Expected {
  std::vector<double> sorted;
  double mean = 0, deviation = 0;

  explicit Expected(std::vector<double> values) : sorted(std::move(values)) {
    std::sort(sorted.begin(), sorted.end());
    long double sum = 0, squares = 0;
    for (const double v : sorted) sum += v;
    const long double m = sum / static_cast<long double>(sorted.size());
    for (const double v : sorted) squares += (v - m) * (v - m);
    mean = static_cast<double>(m);
    deviation = static_cast<double>(std::sqrt(squares / static_cast<long double>(sorted.size())));
  }
  double quantile(double p) const {
    return interpolated_quantile(p, sorted.size(), [&](uint64_t i) { return sorted[i]; });
  }
};

bool close(double found, double expected, double tolerance = 1e-12) {
  return std::abs(found - expected) <= tolerance * std::max(1.0, std::abs(expected));
}

void check_band(const BandStatistics& found, const Expected& expected, uint64_t num_pixels) {
  CHECK(found.num_pixels == num_pixels);
  CHECK(found.moments.count == expected.sorted.size());
  CHECK(found.moments.min == expected.sorted.front());
  CHECK(found.moments.max == expected.sorted.back());
  CHECK(close(found.moments.mean, expected.mean));
  CHECK(close(found.moments.standard_deviation(), expected.deviation, 1e-9));
  CHECK(found.histogram.count() == expected.sorted.size());
  CHECK(found.histogram.min() == expected.sorted.front());
  CHECK(found.histogram.max() == expected.sorted.back());
}

template <class T>
bool is_valid(T value, std::optional<double> nodata) {
  return std::isfinite(static_cast<double>(value)) && !(nodata && static_cast<double>(value) == *nodata);
}

/// Two bands of random values of the whole range of T, some of them no data.
template <class T>
MemoryRaster<T> random_raster(int64_t width, int64_t height, std::optional<double> nodata, std::vector<T>& values) {
  std::mt19937_64 random(11);
  for (int64_t i = 0; i < 2 * width * height; ++i) {
    const uint64_t bits = random();
    T value;
    if constexpr (std::is_integral_v<T>) {
      value = static_cast<T>(bits >> 8);
    } else {
      value = static_cast<T>(std::ldexp(static_cast<double>(static_cast<int64_t>(bits)), -50));
      if (bits % 41 == 0) value = static_cast<T>(bits % 2 ? kNan : bits % 3 ? kInf : -kInf);
    }
    values.push_back(nodata && bits % 7 == 0 ? static_cast<T>(*nodata) : value);
  }
  return {{.width = width, .height = height, .bands = 2, .nodata = nodata, .block_width = 16, .block_height = 16},
          values};
}

template <class T>
void check_type(std::optional<double> nodata) {
  std::vector<T> values;
  const auto raster = random_raster<T>(61, 47, nodata, values);
  const auto found = compute_statistics(raster);
  const auto quantiles = compute_quantiles(raster, kShares);
  REQUIRE(found.size() == 2);
  for (std::size_t band = 0; band < 2; ++band) {
    std::vector<double> valid;
    for (std::size_t i = band * 61 * 47; i < (band + 1) * 61 * 47; ++i) {
      if (is_valid(values[i], nodata)) valid.push_back(static_cast<double>(values[i]));
    }
    const Expected expected(valid);
    CAPTURE(to_string(raster.info().type));
    check_band(found[band], expected, 61 * 47);
    for (std::size_t i = 0; i < kShares.size(); ++i) CHECK(quantiles[band][i] == expected.quantile(kShares[i]));
  }
}

template <class T>
BandStatistics one_band(std::vector<T> values, std::optional<double> nodata = {}) {
  const auto width = static_cast<int64_t>(values.size());
  return compute_statistics(
      MemoryRaster<T>({.width = width, .height = 1, .bands = 1, .nodata = nodata}, std::move(values)))[0];
}

TEST_CASE("statistics of every pixel type equal their definitions over valid pixels") {
  check_type<uint8_t>(255);
  check_type<int8_t>(-128);
  check_type<uint16_t>(0);
  check_type<int16_t>(-9999);
  check_type<uint32_t>(4294967295.0);
  check_type<int32_t>(-2147483648.0);
  check_type<uint64_t>(0);
  check_type<int64_t>(-9223372036854775808.0);
  check_type<float>(-3.4028234663852886e38);
  check_type<double>(-1e300);
  check_type<uint16_t>({});
  check_type<float>(kNan);
  check_type<double>(kInf);
}

TEST_CASE("statistics of a small raster equal values computed by hand") {
  const auto band = one_band<uint16_t>({1, 2, 3, 4, 0, 10}, 0);
  CHECK(band.num_pixels == 6);
  CHECK(band.moments.count == 5);
  CHECK(band.moments.min == 1);
  CHECK(band.moments.max == 10);
  CHECK(band.moments.mean == 4);
  CHECK(band.moments.standard_deviation() == doctest::Approx(std::sqrt(10.0)).epsilon(1e-15));
  CHECK(band.valid_percent() == doctest::Approx(100.0 * 5 / 6).epsilon(1e-15));
  CHECK(band.histogram.quantile(0.25) == 2);
  CHECK(band.histogram.quantile(0.5) == 3);
  CHECK(band.histogram.quantile(0.95) == doctest::Approx(8.8).epsilon(1e-15));
}

TEST_CASE("a no-data value that the type cannot hold excludes no pixel") {
  CHECK(one_band<uint8_t>({0, 255}, -9999).moments.count == 2);
  CHECK(one_band<uint8_t>({0, 255}, 255.5).moments.count == 2);
  CHECK(one_band<uint8_t>({0, 255}, 511).moments.count == 2);
  CHECK(one_band<uint8_t>({0, 255}, kNan).moments.count == 2);
  CHECK(one_band<int64_t>({-1, 5}, 1.8446744073709552e19).moments.count == 2);
  CHECK(one_band<uint64_t>({~uint64_t{0}, 5}, 1.8446744073709552e19).moments.count == 2);
  CHECK(one_band<float>({0, 1}, 1e300).moments.count == 2);
}

TEST_CASE("no data is compared in the type of the pixels") {
  CHECK(one_band<float>({0.1F, 1}, 0.1).moments.count == 1);
  CHECK(one_band<float>({-0.0F, 1}, 0).moments.count == 1);
}

TEST_CASE("a band without valid pixels has a count of zero, no mean and no scale") {
  const auto band = one_band<float>({-1, std::nanf(""), static_cast<float>(kInf)}, -1);
  CHECK(band.num_pixels == 3);
  CHECK(band.moments.count == 0);
  CHECK(band.valid_percent() == 0);
  CHECK(std::isnan(band.moments.standard_deviation()));
  CHECK_THROWS_WITH_AS(band.scale(), "a band without valid pixels has no scale", QueryError);
}

TEST_CASE("the standard deviation is accurate for values much larger than it") {
  std::vector<double> values;
  for (int i = 0; i < 100'000; ++i) values.push_back(1e9 + i % 2);
  CHECK(one_band(values).moments.standard_deviation() == doctest::Approx(0.5).epsilon(1e-9));
  CHECK(one_band<double>({1e308, 1e308, 1e308}).moments.mean == doctest::Approx(1e308));
}

TEST_CASE("the scale of a band gives mean 0 and standard deviation 1") {
  const auto band = one_band<uint16_t>({1, 2, 3, 4, 10});
  const auto [factor, offset] = band.scale();
  CHECK(band.moments.mean * factor + offset == doctest::Approx(0));
  CHECK(band.moments.standard_deviation() * factor == doctest::Approx(1));
  const auto flat = one_band<uint16_t>({7, 7}).scale();
  CHECK(flat.factor == 1);
  CHECK(flat.offset == -7);
}

TEST_CASE("statistics are of the requested bands in their order, and other bands are errors") {
  const MemoryRaster<uint8_t> raster({.width = 1, .height = 1, .bands = 3}, {10, 20, 30});
  const auto found = compute_statistics(raster, {3, 1, 3});
  REQUIRE(found.size() == 3);
  CHECK(found[0].moments.mean == 30);
  CHECK(found[1].moments.mean == 10);
  CHECK(found[2].moments.mean == 30);
  CHECK_THROWS_AS(compute_statistics(raster, {4}), QueryError);
  CHECK_THROWS_AS(compute_statistics(raster, {0}), QueryError);
  CHECK_THROWS_AS(compute_quantiles(raster, std::vector{2.0}), QueryError);
}

TEST_CASE("quantiles of more values than bins are exact, with a second pass") {
  std::vector<float> values;
  const auto raster = random_raster<float>(400, 300, -9999, values);
  const auto statistics = compute_statistics(raster);
  CHECK(statistics[0].histogram.error_bound() > 0);
  CHECK(raster.num_reads == 1);
  const auto quantiles = compute_quantiles(raster, kShares);
  CHECK(raster.num_reads == 4);  // the statistics, and once for each band
  for (std::size_t band = 0; band < 2; ++band) {
    std::vector<double> valid;
    for (std::size_t i = 0; i < 120'000; ++i) {
      if (is_valid(values[band * 120'000 + i], -9999.0)) valid.push_back(values[band * 120'000 + i]);
    }
    const Expected expected(valid);
    check_band(statistics[band], expected, 120'000);
    for (std::size_t i = 0; i < kShares.size(); ++i) {
      CHECK(quantiles[band][i] == expected.quantile(kShares[i]));
      CHECK(std::abs(statistics[band].histogram.quantile(kShares[i]) - expected.quantile(kShares[i])) <=
            statistics[band].histogram.error_bound());
    }
  }
}

TEST_CASE("quantiles are exact where most numbers lie in one bin of the first pass") {
  std::mt19937_64 random(5);
  std::vector<double> values;
  for (int i = 0; i < 300'000; ++i) {
    const double tiny = std::ldexp(static_cast<double>(random() >> 11), -53);
    values.push_back(i % 3 == 0 ? std::ldexp(tiny, 900) : i % 3 == 1 ? -std::ldexp(tiny, -900) : tiny);
  }
  const MemoryRaster<double> raster({.width = 1000, .height = 300, .bands = 1}, values);
  const auto found = compute_quantiles(raster, kShares)[0];
  const Expected expected(values);
  for (std::size_t i = 0; i < kShares.size(); ++i) CHECK(found[i] == expected.quantile(kShares[i]));
}

TEST_CASE("a large raster is read in pieces of whole blocks") {
  // 40 MB, in blocks of 512 rows and columns.
  std::vector<uint16_t> values(5000 * 4000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<uint16_t>(i % 1001);
  const MemoryRaster<uint16_t> raster(
      {.width = 5000, .height = 4000, .bands = 1, .block_width = 512, .block_height = 512}, std::move(values));
  const auto found = compute_statistics(raster)[0];
  CHECK(raster.num_reads == 3);
  CHECK(found.num_pixels == 20'000'000);
  CHECK(found.moments.mean == doctest::Approx(499.99).epsilon(1e-4));
  CHECK(found.histogram.bins().size() == 1001);
}

TEST_CASE("moments of merged parts equal those of the whole, in any order") {
  std::mt19937_64 random(2);
  std::vector<double> all;
  std::vector<BandStatistics> parts;
  for (int part = 0; part < 20; ++part) {
    std::vector<double> values;
    for (std::size_t i = 0; i < 1 + random() % 500; ++i)
      values.push_back(part * 100 + static_cast<double>(random() % 1000) / 7);
    all.insert(all.end(), values.begin(), values.end());
    parts.push_back(one_band(values));
  }
  parts.push_back(one_band<double>({kNan}));
  const Expected expected(all);
  for (int attempt = 0; attempt < 5; ++attempt) {
    std::shuffle(parts.begin(), parts.end(), random);
    BandStatistics whole;
    for (const auto& part : parts) whole.merge(part);
    check_band(whole, expected, all.size() + 1);
    CHECK(whole.histogram == one_band(all).histogram);
  }
}

}  // namespace
