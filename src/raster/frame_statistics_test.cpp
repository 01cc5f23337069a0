#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>

#include "support/plain_tiff.hpp"
#include "support/support.hpp"
#include "support/temporary_folder.hpp"
#include "tacore/dataset.hpp"
#include "tacore/error.hpp"
#include "tacore/extensions/geotiff_stats.hpp"
#include "tacore/raster/pixel_statistics.hpp"
#include "tacore/write/create.hpp"

namespace {

using namespace tacore;

std::vector<float> pixels_of(int sample) {
  std::mt19937 random(static_cast<unsigned>(sample));
  std::normal_distribution<float> normal(static_cast<float>(100 + sample), 5);
  std::vector<float> out(2 * 40 * 30);
  for (float& pixel : out) pixel = random() % 10 == 0 ? -9999.F : normal(random);
  return out;
}

std::vector<MetadataField> shape_of(int64_t rows, int64_t columns) {
  return {{"stac:tensor_shape", Value::List{2, rows, columns}, "list<item: int64>"}};
}

Sample tile(const std::string& id, int sample) {
  return {id, plain_tiff<float>(40, 30, pixels_of(sample), "-9999"), shape_of(30, 40)};
}

std::vector<Sample> tiles(int num) {
  std::vector<Sample> out;
  for (int i = 0; i < num; ++i) out.push_back(tile("t" + std::to_string(i), i));
  return out;
}

Taco taco_of(const Tortilla& samples) {
  Taco out{samples};
  out.collection.id = "pixels";
  out.collection.dataset_version = "1.0.0";
  out.collection.description = "pixels";
  out.collection.licenses = {"CC0-1.0"};
  out.collection.tasks = {"regression"};
  out.collection.providers = {{.name = "someone", .roles = {"producer"}}};
  return out;
}

Dataset written(const TemporaryFolder& folder, const Tortilla& samples) {
  return load(create(taco_of(samples), folder.path("a.tacozip")).front());
}

BandStatistics expected(int num, std::size_t band) {
  BandStatistics out;
  for (int i = 0; i < num; ++i) {
    const auto all = pixels_of(i);
    const std::vector<float> pixels(all.begin() + static_cast<std::ptrdiff_t>(band * 1200),
                                    all.begin() + static_cast<std::ptrdiff_t>(band * 1200 + 1200));
    out.merge(compute_statistics(*open_raster(Sample("s", plain_tiff<float>(40, 30, pixels, "-9999"))))[0]);
  }
  return out;
}

void check_same(const BandStatistics& found, const BandStatistics& wanted, double tolerance = 1e-12) {
  CHECK(found.num_pixels == wanted.num_pixels);
  CHECK(found.moments.count == wanted.moments.count);
  CHECK(found.moments.min == doctest::Approx(wanted.moments.min).epsilon(tolerance));
  CHECK(found.moments.max == doctest::Approx(wanted.moments.max).epsilon(tolerance));
  CHECK(found.moments.mean == doctest::Approx(wanted.moments.mean).epsilon(tolerance));
  CHECK(found.moments.standard_deviation() == doctest::Approx(wanted.moments.standard_deviation()).epsilon(tolerance));
}

}  // namespace

TEST_CASE("statistics of a view are those of all its pixels together") {
  const TemporaryFolder folder;
  const Dataset dataset = written(folder, Tortilla(tiles(70)));
  const auto found = compute_statistics(dataset.data());
  CHECK(found.num_samples == 70);
  CHECK(found.failures.empty());
  REQUIRE(found.bands.size() == 2);
  for (std::size_t band = 0; band < 2; ++band) {
    const auto wanted = expected(70, band);
    check_same(found.bands[band], wanted);
    CHECK(found.bands[band].histogram == wanted.histogram);
  }
  const auto some = compute_statistics(dataset.sql("SELECT * FROM data LIMIT 7").data(), {.bands = {2}});
  CHECK(some.num_samples == 7);
  REQUIRE(some.bands.size() == 1);
  check_same(some.bands[0], expected(7, 1));
}

TEST_CASE("statistics of parts merged in order equal those of the whole to the last bit") {
  const TemporaryFolder folder;
  const DataFrame frame = written(folder, Tortilla(tiles(20))).data();
  const auto whole = compute_statistics(frame, {.part_rows = 8});
  std::vector<BandStatistics> merged;
  for (int64_t begin = 0; begin < 20; begin += 8) {
    std::vector<int64_t> rows;
    for (int64_t row = begin; row < std::min<int64_t>(begin + 8, 20); ++row) rows.push_back(row);
    const auto part = compute_statistics(frame.take(rows), {.part_rows = 8});
    merged.resize(part.bands.size());
    for (std::size_t band = 0; band < merged.size(); ++band) merged[band].merge(part.bands[band]);
  }
  for (std::size_t band = 0; band < 2; ++band) {
    CHECK(merged[band].num_pixels == whole.bands[band].num_pixels);
    CHECK(merged[band].moments.mean == whole.bands[band].moments.mean);
    CHECK(merged[band].moments.sum_of_squares == whole.bands[band].moments.sum_of_squares);
    CHECK(merged[band].histogram == whole.bands[band].histogram);
  }
  CHECK(part_rows(1) == 1);
  CHECK(part_rows(2048) == 2);
  CHECK(part_rows(1'000'000'000) == 32);
}

TEST_CASE("statistics handle child samples, other pixel types and no-data values together") {
  const TemporaryFolder folder;
  const auto parent = [](const std::string& id, const Sample& child) {
    return Sample(id, Tortilla({Sample("inner", Tortilla({child}))}));
  };
  const Sample bytes("x", plain_tiff<uint8_t>(2, 1, std::vector<uint8_t>{4, 200}, "200"));
  const Sample numbers("x", plain_tiff<double>(2, 1, std::vector<double>{-2, 200}));
  const Dataset dataset = written(folder, Tortilla({parent("a", bytes), parent("b", numbers)}));
  const auto found = compute_statistics(dataset.data(), {.child = "inner/x"});
  REQUIRE(found.bands.size() == 1);
  CHECK(found.bands[0].num_pixels == 4);
  CHECK(found.bands[0].moments.count == 3);
  CHECK(found.bands[0].moments.mean == doctest::Approx(202.0 / 3));
  CHECK(found.bands[0].histogram.quantile(0.5) == 4);
  says(text_of<Error>([&] { compute_statistics(dataset.data()); }), "sample 'a'");
  says(text_of<Error>([&] { compute_statistics(dataset.data(), {.child = "inner"}); }), "FOLDER");
  says(text_of<Error>([&] { compute_statistics(dataset.data(), {.child = "inner/y"}); }), "sample 'a'");
}

TEST_CASE("an unreadable sample is an error with its id, or is skipped whole and reported") {
  const TemporaryFolder folder;
  auto samples = tiles(5);
  auto cut = plain_tiff<float>(40, 30, pixels_of(9), "-9999");
  cut.resize(cut.size() - 100);
  samples.insert(samples.begin() + 2, Sample("cut", cut, shape_of(30, 40)));
  samples.push_back(Sample("text", Bytes(100, std::byte{'x'}), shape_of(30, 40)));
  const DataFrame frame = written(folder, Tortilla(samples)).data();
  says(text_of<Error>([&] { compute_statistics(frame); }), "sample 'cut'");
  const auto found = compute_statistics(frame, {.on_error = OnError::Skip});
  CHECK(found.num_samples == 5);
  REQUIRE(found.failures.size() == 2);
  CHECK(found.failures[0].position == 2);
  says(found.failures[0].message, "sample 'cut'");
  CHECK(found.failures[1].position == 6);
  check_same(found.bands[0], expected(5, 0));
}

TEST_CASE("samples with different bands, bands out of range and no samples are errors") {
  const TemporaryFolder folder;
  const Sample one("one", plain_tiff<float>(40, 30, std::vector<float>(1200)), shape_of(30, 40));
  const Dataset dataset = written(folder, Tortilla({tile("two", 0), one}));
  says(text_of<Error>([&] { compute_statistics(dataset.data()); }), "bands");
  CHECK(compute_statistics(dataset.data(), {.bands = {1}}).num_samples == 2);
  says(text_of<Error>([&] { compute_statistics(dataset.data(), {.bands = {2}}); }), "sample 'one'");
  says(text_of<Error>([&] { compute_statistics(dataset.sql("SELECT * FROM data WHERE id = 'x'").data()); }),
       "there are no samples");
}

TEST_CASE("progress of statistics is reported, and can cancel them") {
  const TemporaryFolder folder;
  const DataFrame frame = written(folder, Tortilla(tiles(6))).data();
  std::vector<uint64_t> told;
  ComputeOptions options{.task = {.user = &told}};
  options.task.progress = [](uint64_t done, uint64_t, void* user) {
    static_cast<std::vector<uint64_t>*>(user)->push_back(done);
    return done < 4;
  };
  CHECK(text_of<Error>([&] { compute_statistics(frame, options); }) == "statistics were stopped");
  CHECK(told == std::vector<uint64_t>{1, 2, 3, 4});
}

TEST_CASE("stored statistics are combined by valid pixels and equal those of the pixels, with histograms added up") {
  const TemporaryFolder folder;
  const Tortilla samples = extensions::with_geotiff_stats(Tortilla(tiles(12)), {.histograms = true});
  const Dataset dataset = written(folder, samples);
  const auto stored = stored_statistics(dataset.data());
  const auto computed = compute_statistics(dataset.data());
  REQUIRE(stored.size() == 2);
  for (std::size_t band = 0; band < 2; ++band) {
    check_same(stored[band], computed.bands[band], 1e-6);  // stored as float
    CHECK(stored[band].histogram == computed.bands[band].histogram);
  }
  const auto one = stored_statistics(dataset.sql("SELECT * FROM data WHERE id = 't3'").data());
  CHECK(one[0].histogram.quantile(0.5) > 100);
}

TEST_CASE("a row without histograms weighs as many pixels as its shape and valid percentage give") {
  const TemporaryFolder folder;
  const DataFrame frame = written(folder, extensions::with_geotiff_stats(Tortilla(tiles(12)))).data();
  check_same(stored_statistics(frame)[1], compute_statistics(frame).bands[1], 1e-6);
}

TEST_CASE("a row without a shape weighs as many pixels as its TIFF has, in every call") {
  const TemporaryFolder folder;
  const Sample small("small", plain_tiff<float>(10, 10, std::vector<float>(100, 0.5F)));
  const Sample large("large", plain_tiff<float>(40, 30, std::vector<float>(1200, 44)));
  const double mean = (100 * 0.5 + 1200 * 44.0) / 1300;
  for (const bool with_percentiles : {true, false}) {
    CAPTURE(with_percentiles);
    const Tortilla samples({small, large});
    const Tortilla with = with_percentiles ? extensions::with_geotiff_stats(samples) : extensions::with_stats(samples);
    const TemporaryFolder place;
    const Dataset dataset = written(place, with);
    const auto computed = compute_statistics(dataset.data()).bands[0];
    CHECK(computed.moments.mean == doctest::Approx(mean));
    CHECK(dataset.stats(Statistic::Mean).at(0) == doctest::Approx(mean));
    CHECK(dataset.stats(Statistic::Std).at(0) == doctest::Approx(computed.moments.standard_deviation()));
    CHECK(dataset.sql("SELECT * FROM data").stats(Statistic::Mean).at(0) == doctest::Approx(mean));
    CHECK(dataset.data().stats(Statistic::Mean, {.bands = {1}}).at(0) == doctest::Approx(mean));
    CHECK(stored_summary(dataset).at(0).std == doctest::Approx(computed.moments.standard_deviation()));
    check_same(stored_statistics(dataset.data()).at(0), computed, 1e-6);
  }
}

TEST_CASE("a row with a null shape weighs the pixels of its TIFF, not 1") {
  const TemporaryFolder folder;
  const auto flat = [](const std::string& id, float value, const Value& shape) {
    return Sample(id, plain_tiff<float>(100, 100, std::vector<float>(10000, value)),
                  {{"stac:tensor_shape", shape, "list<item: int64>"}});
  };
  const Tortilla samples({flat("a", 10, Value::List{1, 100, 100}), flat("b", 20, Value())});
  CHECK(written(folder, extensions::with_geotiff_stats(samples)).stats(Statistic::Mean).at(0) == doctest::Approx(15));
}

TEST_CASE("pixels without data have no weight") {
  const TemporaryFolder folder;
  std::vector<float> sparse(10000, 0);
  std::fill(sparse.begin(), sparse.begin() + 100, 200.F);
  const Sample a("a", plain_tiff<float>(100, 100, sparse, "0"), shape_of(100, 100));
  const Sample b("b", plain_tiff<float>(100, 100, std::vector<float>(10000, 10), "0"), shape_of(100, 100));
  const Dataset dataset = written(folder, extensions::with_geotiff_stats(Tortilla({a, b})));
  const auto computed = compute_statistics(dataset.data()).bands[0].moments;
  CHECK(dataset.stats(Statistic::Mean).at(0) == doctest::Approx((100 * 200.0 + 10000 * 10.0) / 10100));
  CHECK(dataset.stats(Statistic::Std).at(0) == doctest::Approx(computed.standard_deviation()));
}

TEST_CASE("quantiles are marked as approximate unless they come from histograms or a single sample") {
  const TemporaryFolder folder, other, third;
  const Dataset dataset = written(folder, extensions::with_geotiff_stats(Tortilla(tiles(12))));
  const auto pooled = stored_summary(dataset);
  REQUIRE(pooled.size() == 2);
  CHECK(pooled[1].band == 2);
  CHECK(pooled[1].is_approximate);
  CHECK(std::isnan(pooled[1].quantile_error));
  std::vector<double> percentiles;
  for (const auto which : {Statistic::P25, Statistic::P50, Statistic::P75, Statistic::P95})
    percentiles.push_back(dataset.stats(which, {.bands = {2}}).at(0));
  CHECK(pooled[1].quantiles == percentiles);
  says(text_of<Error>([&] { stored_summary(dataset, {}, {0.5}); }), "the samples store no histograms");
  CHECK_FALSE(stored_summary(dataset.sql("SELECT * FROM data LIMIT 1")).at(0).is_approximate);

  const auto histograms = extensions::with_geotiff_stats(Tortilla(tiles(12)), {.histograms = true});
  const Dataset with = written(other, histograms);
  const auto computed = compute_statistics(with.data()).bands[1];
  const auto told = stored_summary(with, {.bands = {2}}, {0.1, 0.5}).at(0);
  CHECK_FALSE(told.is_approximate);
  CHECK(told.quantile_error == computed.histogram.error_bound());
  CHECK(told.quantiles == std::vector<double>{computed.histogram.quantile(0.1), computed.histogram.quantile(0.5)});

  const Dataset moments = written(third, extensions::with_stats(Tortilla(tiles(3))));
  const auto none = stored_summary(moments).at(0);
  CHECK_FALSE(none.is_approximate);
  CHECK(std::isnan(none.quantiles.at(1)));
  CHECK(std::isnan(moments.stats(Statistic::P50).at(0)));
}

TEST_CASE("stored statistics with a child path use that child of each sample only") {
  const TemporaryFolder folder;
  const auto parent = [](const std::string& id, int sample) {
    const Sample other("other", plain_tiff<uint8_t>(2, 1, std::vector<uint8_t>{4, 200}), shape_of(1, 2));
    return Sample(id, Tortilla({Sample("inner", Tortilla({tile("x", sample), other}))}));
  };
  const Dataset dataset = written(folder, extensions::with_geotiff_stats(Tortilla({parent("a", 0), parent("b", 1)})));
  const auto computed = compute_statistics(dataset.data(), {.child = "inner/x"});
  const auto stored = stored_summary(dataset, {.child = "inner/x"});
  REQUIRE(stored.size() == 2);
  CHECK(dataset.stats(Statistic::Mean, {.bands = {2}, .child = "inner/x"}) == std::vector<double>{stored[1].mean});
  for (std::size_t band = 0; band < 2; ++band) {
    CHECK(stored[band].mean == doctest::Approx(computed.bands[band].moments.mean));
    CHECK(stored[band].std == doctest::Approx(computed.bands[band].moments.standard_deviation()));
  }
  CHECK(stored_summary(dataset, {.child = "inner/other"}).size() == 1);
  says(text_of<Error>([&] { stored_summary(dataset, {.child = "inner/none"}); }), "no sample has a child 'inner/none'");
  says(text_of<Error>([&] { stored_summary(dataset, {.child = "a/b/c"}); }), "Level 3 does not exist");
  says(text_of<Error>([&] { stored_summary(dataset.data(), {.child = "inner/x"}); }), "child are options of a dataset");
}

TEST_CASE("stats:* columns of 0.2.0 are combined, and a band that is NaN in a row does not count there") {
  const TemporaryFolder folder;
  std::vector<Sample> samples;
  for (int i = 0; i < 3; ++i) {
    std::vector<float> pixels(2 * 10 * 10, static_cast<float>(i));
    if (i == 1) std::fill(pixels.begin() + 100, pixels.end(), std::nanf(""));
    samples.emplace_back("s" + std::to_string(i), plain_tiff<float>(10, 10, pixels), shape_of(10, 10));
  }
  const DataFrame frame = written(folder, extensions::with_stats(Tortilla(samples))).data();
  const auto found = stored_statistics(frame);
  REQUIRE(found.size() == 2);
  check_same(found[0], compute_statistics(frame).bands[0]);
  CHECK(found[1].moments.count == 200);
  CHECK(found[1].moments.mean == 1);
  CHECK(found[1].moments.standard_deviation() == 1);
}

TEST_CASE("frames without stored statistics, and class statistics, are refused") {
  const TemporaryFolder folder;
  const Dataset dataset = written(folder, Tortilla(tiles(2)));
  says(text_of<Error>([&] { stored_statistics(dataset.data()); }), "do not contain statistics");
  const TemporaryFolder other;
  const Sample classes("c", plain_tiff<uint8_t>(2, 1, std::vector<uint8_t>{1, 2}));
  const Tortilla with =
      extensions::with_geotiff_stats(Tortilla({classes}), {.categorical = true, .class_values = {1, 2}});
  says(text_of<Error>([&] { stored_statistics(written(other, with).data()); }), "categorical format");
}

TEST_SUITE("threads") {
  TEST_CASE("statistics of a view do not depend on the number of threads, to the last bit") {
    const TemporaryFolder folder;
    const DataFrame frame = written(folder, Tortilla(tiles(60))).data();
    const auto one = compute_statistics(frame, {.task = {.jobs = 1}});
    for (const int jobs : {2, 5}) {
      const auto many = compute_statistics(frame, {.task = {.jobs = jobs}});
      for (std::size_t band = 0; band < 2; ++band) {
        CHECK(many.bands[band].moments.mean == one.bands[band].moments.mean);
        CHECK(many.bands[band].moments.sum_of_squares == one.bands[band].moments.sum_of_squares);
        CHECK(many.bands[band].histogram == one.bands[band].histogram);
      }
    }
  }

  TEST_CASE("samples of a level are computed side by side") {
    const Tortilla samples(tiles(40));
    CHECK(extensions::with_geotiff_stats(samples, {}, 4).column("geotiff:stats") ==
          extensions::with_geotiff_stats(samples, {}, 1).column("geotiff:stats"));
  }
}
