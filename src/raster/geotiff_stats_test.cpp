#include "support/temporary_folder.hpp"
#include "tacore/extensions/geotiff_stats.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>

#include "support/plain_tiff.hpp"
#include "support/support.hpp"
#include "tacore/error.hpp"
#include "tacore/extensions/constant.hpp"
#include "tacore/raster/pixel_statistics.hpp"

namespace {

using namespace tacore;
using namespace tacore::extensions;

using Bands = std::vector<std::vector<double>>;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Bands bands_of(const Value& value) {
  Bands out;
  REQUIRE(value.get<Value::List>());
  for (const Value& band : *value.get<Value::List>()) {
    auto& numbers = out.emplace_back();
    for (const Value& number : *band.get<Value::List>()) numbers.push_back(*number.get<double>());
  }
  return out;
}

void check_close(const Bands& found, const Bands& expected) {
  REQUIRE(found.size() == expected.size());
  for (std::size_t b = 0; b < found.size(); ++b) {
    REQUIRE(found[b].size() == expected[b].size());
    for (std::size_t i = 0; i < found[b].size(); ++i) {
      CAPTURE(b);
      CAPTURE(i);
      if (std::isnan(expected[b][i])) {
        CHECK(std::isnan(found[b][i]));
      } else {
        CHECK(found[b][i] == doctest::Approx(expected[b][i]).epsilon(1e-12));
      }
    }
  }
}

template <class T>
Sample tiff(const std::vector<T>& values, const std::string& nodata = "", uint32_t width = 5) {
  return {"tile", plain_tiff<T>(width, 1, values, nodata)};
}

Bands stats_of(const Sample& sample, const GeotiffStatsOptions& options = {}) {
  return bands_of(GeotiffStats(options).compute(sample)[0]);
}

Sample scaled(Sample sample, const ScalingOptions& scaling) {
  sample.extend_with(Scaling(scaling));
  return sample;
}

const double kDeviation = std::sqrt(10.0);

TEST_CASE("geotiff:stats has nine numbers per band, and a uniform band has a deviation of 0") {
  check_close(stats_of(tiff<uint16_t>({1, 2, 3, 4, 10, 7, 7, 7, 7, 7})),
              {{1, 10, 4, kDeviation, 100, 2, 3, 4, 8.8}, {7, 7, 7, 0, 100, 7, 7, 7, 7}});
}

TEST_CASE("no-data and NaN pixels are skipped, and a band without valid pixels has NaN and 0 %") {
  check_close(stats_of(tiff<float>({1, -9, 3, std::nanf(""), 5, -9, -9, -9, -9, -9}, "-9")),
              {{1, 5, 3, std::sqrt(8.0 / 3), 60, 2, 3, 4, 4.8}, {kNan, kNan, kNan, kNan, 0, kNan, kNan, kNan, kNan}});
}

TEST_CASE("class statistics are fractions of valid pixels, in the given order") {
  const auto classes = [](std::vector<int64_t> values) {
    return GeotiffStatsOptions{.categorical = true, .class_values = std::move(values)};
  };
  check_close(stats_of(tiff<uint8_t>({0, 1, 2, 0, 1, 2}, "", 6), classes({0, 1, 2})), {{1. / 3, 1. / 3, 1. / 3}});
  check_close(stats_of(tiff<uint8_t>({0, 1, 1, 9, 9}, "9"), classes({2, 1, 0})), {{0, 2. / 3, 1. / 3}});
  check_close(stats_of(tiff<int16_t>({-5, -5, -5, -5, -5}), classes({7, -5})), {{0, 1}});
  check_close(stats_of(tiff<float>({1, 1, 2.5, 2, 2}), classes({1, 2})), {{0.4, 0.4}});  // 2.5 is no class
}

TEST_CASE("invalid class values are refused") {
  CHECK(error_of([] { GeotiffStats({.categorical = true}); }) ==
        "SchemaError: class_values required for categorical=True");
  CHECK(error_of([] { GeotiffStats({.class_values = {1}}); }) ==
        "SchemaError: class_values is for categorical rasters only");
  CHECK(error_of([] { GeotiffStats({.categorical = true, .class_values = {3, 1, 3}}); }) ==
        "SchemaError: class_values has 3 twice");
  CHECK(error_of([] { stats_of(tiff<uint8_t>({4, 4, 4, 4, 4}), {.categorical = true, .class_values = {1, 2}}); }) ==
        "SchemaError: sample 'tile': band 1: no pixel has one of the class_values; the first value is 4");
}

TEST_CASE("approximate percentiles need one pass and are within the bound of the histogram") {
  std::vector<float> values;
  for (int i = 0; i < 100'000; ++i) values.push_back(std::sqrt(static_cast<float>(i)));
  const Sample sample = tiff(values, "", 1000 * 100);
  const auto exact = stats_of(sample)[0], approx = stats_of(sample, {.approx = true})[0];
  const double bound = compute_statistics(*open_raster(sample))[0].histogram.error_bound();
  CHECK(bound > 0);
  for (std::size_t i = 0; i < exact.size(); ++i) CHECK(std::abs(exact[i] - approx[i]) <= (i < 5 ? 0 : bound));
  CHECK(exact[6] == doctest::Approx((std::sqrt(49999.F) + std::sqrt(50000.F)) / 2.0).epsilon(1e-15));
}

TEST_CASE("statistics are scaled by a factor, an offset, or both, for all bands or each") {
  const Sample one = tiff<uint16_t>({1, 2, 3, 4, 10});
  check_close(stats_of(scaled(one, {.scale_factor = 2.0, .scale_offset = 1.0})),
              {{3, 21, 9, 2 * kDeviation, 100, 5, 7, 9, 18.6}});
  check_close(stats_of(scaled(one, {.scale_factor = 2.0})), {{2, 20, 8, 2 * kDeviation, 100, 4, 6, 8, 17.6}});
  check_close(stats_of(scaled(one, {.scale_offset = -1.0})), {{0, 9, 3, kDeviation, 100, 1, 2, 3, 7.8}});
  const Sample two = tiff<uint16_t>({1, 2, 3, 4, 10, 7, 7, 7, 7, 7});
  const std::vector<double> factors{2, 0.5};
  check_close(stats_of(scaled(two, {.scale_factor = factors, .scale_offset = 1.0})),
              {{3, 21, 9, 2 * kDeviation, 100, 5, 7, 9, 18.6}, {4.5, 4.5, 4.5, 0, 100, 4.5, 4.5, 4.5, 4.5}});
  CHECK(error_of([&] { stats_of(scaled(one, {.scale_factor = factors})); }) ==
        "SchemaError: sample 'tile': scaling:scale_factor has 2 numbers, expected 1 or 1, one for each band");
}

TEST_CASE("a negative factor turns the order around, and no spread is negative") {
  check_close(stats_of(scaled(tiff<uint16_t>({1, 2, 3, 4, 10}), {.scale_factor = -1.0})),
              {{-10, -1, -4, kDeviation, 100, -4, -3, -2, -1.2}});
}

TEST_CASE("class fractions and stats:* columns of 0.2.0 use unscaled pixels") {
  const Sample sample = scaled(tiff<uint8_t>({1, 1, 1, 1, 2}), {.scale_factor = 5.0});
  check_close(stats_of(sample, {.categorical = true, .class_values = {1, 2}}), {{0.8, 0.2}});
  CHECK(Stats().compute(sample)[0] == Value(Value::List{1.2}));
}

TEST_CASE("a sample without valid pixels has null statistics") {
  CHECK(GeotiffStats().compute(tiff<uint8_t>({0, 0, 0, 0, 0}, "0"))[0].is_null());
  CHECK(GeotiffStats({.histograms = true}).compute(tiff<uint8_t>({0, 0, 0, 0, 0}, "0")).size() == 2);
}

TEST_CASE("statistics leave no file beside the TIFF") {
  const TemporaryFolder place;
  const fs::path folder = place.path();
  const auto bytes = plain_tiff<uint8_t>(2, 1, std::vector<uint8_t>{1, 2});
  std::ofstream(folder / "a.tif", std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  check_close(stats_of(Sample("a", (folder / "a.tif").string())), {{1, 2, 1.5, 0.5, 100, 1.25, 1.5, 1.75, 1.95}});
  CHECK(std::distance(fs::directory_iterator(folder), fs::directory_iterator()) == 1);
}

TEST_CASE("a FOLDER and a FILE that is not a GeoTIFF are errors that name the sample") {
  const Sample folder("parent", Tortilla({tiff<uint8_t>({1, 2, 3, 4, 5})}));
  CHECK(error_of([&] { stats_of(folder); }).find("SchemaError: sample 'parent': ") == 0);
  const auto text = error_of([] { stats_of(Sample("notes", Bytes(20, std::byte{'x'}))); });
  CHECK(has_text(text, "sample 'notes'"));
  CHECK(has_text(text, "it is not a TIFF"));
  auto bytes = plain_tiff<uint8_t>(5, 1, std::vector<uint8_t>(5));
  bytes.resize(bytes.size() - 30);
  CHECK(has_text(error_of([&] { stats_of(Sample("cut", bytes)); }), "sample 'cut'"));
}

TEST_CASE("stats:* columns of 0.2.0 have one number per band") {
  const auto values = Stats().compute(tiff<float>({1, 2, 3, 4, 10, -9, -9, -9, -9, -9}, "-9"));
  REQUIRE(values.size() == 4);
  const auto at = [&](std::size_t column, std::size_t band) {
    return *(*values[column].get<Value::List>())[band].get<double>();
  };
  CHECK(at(0, 0) == 4);
  CHECK(at(1, 0) == 1);
  CHECK(at(2, 0) == 10);
  CHECK(at(3, 0) == doctest::Approx(kDeviation));
  for (std::size_t column = 0; column < 4; ++column) CHECK(std::isnan(at(column, 1)));
}

TEST_CASE("histograms are stored of unscaled pixels, in the same pass") {
  const auto values = GeotiffStats({.histograms = true}).compute(tiff<uint16_t>({1, 2, 3, 4, 10}));
  const auto& bands = *values[1].get<Value::List>();
  REQUIRE(bands.size() == 1);
  CHECK(Histogram::decode(*bands[0].get<Binary>()).quantile(0.95) == doctest::Approx(8.8));
}

Tortilla nested() {
  const Tortilla children({tiff<uint8_t>({1, 2, 3, 4, 10}), Sample("notes", Bytes(3))}, false);
  return Tortilla({Sample("a", children), Sample("b", children)});
}

TEST_CASE("a level with TIFFs gets the column, and its other FILEs have null") {
  const Tortilla samples = with_geotiff_stats(nested());
  CHECK(samples.fields(0).empty());
  REQUIRE(samples.fields(1).size() == 1);
  CHECK(samples.fields(1)[0].name == "geotiff:stats");
  CHECK(samples.fields(1)[0].type == "list<item: list<item: float>>");
  const auto column = samples.column("geotiff:stats", 1);
  REQUIRE(column.size() == 4);
  CHECK(bands_of(column[2])[0][8] == doctest::Approx(8.8));  // float
  CHECK(column[1].is_null());
  CHECK(column[3].is_null());
  CHECK(with_geotiff_stats(samples).column("geotiff:stats", 1) == column);  // replaces
  CHECK(with_stats(samples).fields(1).size() == 5);
}

TEST_CASE("samples without any TIFF, and a broken TIFF among others, are an error") {
  CHECK(error_of([] { with_geotiff_stats(Tortilla({Sample("notes", Bytes(3))})); }) ==
        "SchemaError: no FILE at any level is a TIFF; statistics are computed from TIFF pixels");
  auto bytes = plain_tiff<uint8_t>(5, 1, std::vector<uint8_t>(5));
  bytes.resize(bytes.size() - 30);
  const Tortilla samples({tiff<uint8_t>({1, 2, 3, 4, 10}), Sample("cut", bytes)});
  CHECK(error_of([&] { with_geotiff_stats(samples); }).find("FormatError: ") == 0);
  CHECK(has_text(error_of([&] { with_geotiff_stats(samples); }), "sample 'cut'"));
}

TEST_CASE("stored statistics do not depend on the number of threads") {
  std::vector<Sample> many;
  for (int i = 0; i < 50; ++i) {
    std::vector<float> values;
    for (int p = 0; p < 100; ++p) values.push_back(static_cast<float>(i * p % 17) / 3);
    many.emplace_back("s" + std::to_string(i), plain_tiff<float>(10, 10, values));
  }
  const Tortilla samples(many);
  CHECK(with_geotiff_stats(samples, {}, 1).column("geotiff:stats") ==
        with_geotiff_stats(samples, {}, 4).column("geotiff:stats"));
}

}  // namespace
