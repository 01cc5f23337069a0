#include "tacore/statistics.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "support/query_data.hpp"
#include "support/support.hpp"

/// stats() and stats_categorical(): weighted aggregates of the statistics of samples, from a dataset and from a frame.
using namespace tacore;

namespace {

using Values = std::vector<double>;

Dataset stats() { return load(golden("stats.tacozip")); }
/// The children of the samples with this id.
StatsOptions in(const std::string& id, const std::vector<int>& bands = {}, int level = 1) {
  return {.bands = bands, .level = level, .id = id};
}

bool close(const Values& found, const Values& expected, double tolerance = 1e-6) {
  if (found.size() != expected.size()) return false;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (std::isnan(found[i]) != std::isnan(expected[i])) return false;
    if (std::abs(found[i] - expected[i]) > tolerance * std::max(1.0, std::abs(expected[i]))) return false;
  }
  return true;
}

std::string text(const Values& values) {
  std::string out;
  for (const double v : values) out += std::to_string(v) + " ";
  return out;
}

#define CHECK_CLOSE(found, ...)                     \
  do {                                              \
    const Values found_values = (found);            \
    CAPTURE(text(found_values));                    \
    CHECK(close(found_values, Values __VA_ARGS__)); \
  } while (false)

/// One folder `id` with a child whose band has this mean.
std::string one_parent(const TemporaryFolder& folder, const std::string& name, const std::string& id, double mean) {
  return make_folder(
      folder, name, two_levels(1, 1, {"a"}),
      {"SELECT '" + id +
           "' AS id, 'FOLDER' AS type, 0 AS \"internal:current_id\", 0 AS \"internal:parent_id\" FROM range(1) r(i)",
       "SELECT 'a' AS id, 'FILE' AS type, 0 AS \"internal:current_id\", 0 AS \"internal:parent_id\", '" + id +
           "/a' AS \"internal:relative_path\", [[0.0, 9, " + std::to_string(mean) +
           ", 1, 100, 1, 2, 3, 4]]::FLOAT[][] AS \"geotiff:stats\" FROM range(1) r(i)"});
}

TEST_CASE("statistics and shapes that are no numbers are an error, not NaN") {
  const TemporaryFolder folder;
  const auto make = [&](const std::string& name, const std::string& stats) {
    return load(make_flat_folder(folder, name, 2, stats));
  };
  const std::string nine = "[[0, 9, 5, 1, 100, 1, 2, 3, 4]]";
  const Dataset texts = make("texts", nine + "::VARCHAR[][] AS \"geotiff:stats\"");
  CHECK(has_text(error_of([&] { texts.stats(Statistic::Mean); }),
                 "QueryError: items of the statistics are string; integers"));
  const Dataset decimals = make("decimals", nine + "::DECIMAL(9, 2)[][] AS \"geotiff:stats\"");
  CHECK(has_text(error_of([&] { decimals.stats(Statistic::Mean); }), "items of the statistics are decimal128(9, 2)"));
  const Dataset shapes = make("shapes", nine + "::FLOAT[][] AS \"geotiff:stats\", ['8', '8'] AS \"stac:tensor_shape\"");
  CHECK(has_text(error_of([&] { shapes.stats(Statistic::Mean); }), "items of stac:tensor_shape are string"));
  CHECK_CLOSE(make("whole", nine + "::INTEGER[][] AS \"geotiff:stats\"").stats(Statistic::Mean), {5});
}

TEST_CASE("statistics of children need rows with their navigation columns") {
  const Dataset dataset = load(golden("stats.tacozip"));
  const Dataset lost = dataset.sql("SELECT id, type FROM data WHERE id = 'weighted'");
  CHECK(has_text(error_of([&] { lost.stats(Statistic::Mean, {.level = 1, .id = "continuous"}); }),
                 "SELECT * keeps them"));
  CHECK(has_text(error_of([&] { dataset.data().stats(Statistic::Mean, {.level = 0, .id = "weighted"}); }),
                 "a frame aggregates its own rows"));
}

}  // namespace

TEST_CASE("the mean is weighted by the valid pixels of the last two tensor dimensions") {
  CHECK_CLOSE(stats().stats(Statistic::Mean, in("weighted")), {50, -4 * 270 / 370.0});  // 30 x 10 pixels, 90 % valid
  CHECK_CLOSE(stats().stats(Statistic::Mean, in("continuous")), {50, -4 * 9 / 19.0});
}

// The published reader has 138.96, 122.52, 103.70: it counts no-data pixels.
TEST_CASE("statistics of the published flat dataset equal its golden values" * doctest::test_suite("external")) {
  if (missing(published("zip/flat.tacozip"))) return;
  for (const std::string name : {"zip/flat.tacozip", "folder/flat"}) {
    CAPTURE(name);
    const Dataset flat = load(published(name));
    CHECK_CLOSE(flat.stats(Statistic::Mean), {138.932387, 122.495523, 103.664253});
    CHECK_CLOSE(flat.stats(Statistic::Std), {47.290926, 41.104928, 45.429125});
    CHECK_CLOSE(flat.stats(Statistic::Min), {0, 0, 0});
    CHECK_CLOSE(flat.stats(Statistic::Max), {255, 255, 255});
    CHECK_CLOSE(flat.stats(Statistic::P25), {92.4, 80.6, 65.8});
    CHECK_CLOSE(flat.stats(Statistic::P50), {135.6, 119, 100.6});
    CHECK_CLOSE(flat.stats(Statistic::P75), {181, 163, 141});
    CHECK_CLOSE(flat.stats(Statistic::P95), {224, 211, 192});
    CHECK_CLOSE(flat.data().stats(Statistic::Mean, {.bands = {1}}), {138.932387});
    CHECK_CLOSE(flat.data().stats(Statistic::Std, {.bands = {1}}), {47.290926});
  }
}

TEST_CASE("statistics of the published nested dataset equal its golden values" * doctest::test_suite("external")) {
  if (missing(published("zip/nested.tacozip"))) return;
  for (const std::string name : {"zip/nested.tacozip", "folder/nested"}) {
    CAPTURE(name);
    const Dataset nested = load(published(name));
    CHECK_CLOSE(nested.stats(Statistic::Mean, in("americas", {1})), {81.885663});
    CHECK_CLOSE(nested.stats(Statistic::Std, in("americas", {1})), {69.722829});
    CHECK_CLOSE(nested.stats(Statistic::Min, in("americas", {1})), {-1});
    CHECK_CLOSE(nested.stats(Statistic::Max, in("americas", {1})), {250});
    CHECK_CLOSE(nested.stats(Statistic::P50, in("americas", {1})), {78.40667});
    CHECK_CLOSE(nested.stats_categorical(in("europe", {1}))[0], {0.4, 0.33333334, 0.26666668});
    CHECK_CLOSE(children(nested.data(), "americas").stats(Statistic::Std, {.bands = {1}}), {69.722829});
  }
}

TEST_CASE("the standard deviation is that of all valid pixels") {
  CHECK_CLOSE(stats().stats(Statistic::Std, in("continuous", {1})), {std::sqrt((10 * 100.0 + 9 * 400.0) / 19)});
  const double mean = -4 * 270 / 370.0, above = mean * mean, below = (mean + 4) * (mean + 4);
  CHECK_CLOSE(stats().stats(Statistic::Std, in("weighted")),
              {std::sqrt((100 * 100.0 + 270 * 400.0) / 370), std::sqrt((100 * (4 + above) + 270 * (1 + below)) / 370)});
}

TEST_CASE("a single row returns its own standard deviation") {
  const Dataset one = load(golden("stats_flat.tacozip")).sql("SELECT * FROM data WHERE id = 'item_1'");
  CHECK_CLOSE(one.stats(Statistic::Std), {20});
}

TEST_CASE("minimum and maximum are extrema, percentiles are plain means") {
  CHECK_CLOSE(stats().stats(Statistic::Min, in("weighted")), {0, -9});
  CHECK_CLOSE(stats().stats(Statistic::Max, in("weighted")), {200, 5});
  CHECK_CLOSE(stats().stats(Statistic::P25, in("weighted")), {35, -3});
  CHECK_CLOSE(stats().stats(Statistic::P50, in("weighted")), {50, -2});
  CHECK_CLOSE(stats().stats(Statistic::P75, in("weighted")), {65, -1});
  CHECK_CLOSE(stats().stats(Statistic::P95, in("weighted")), {92.5, 2});
}

TEST_CASE("categorical is the weighted mean of the class vectors and sums to 1") {
  const auto bands = stats().stats_categorical(in("categorical"));
  REQUIRE(bands.size() == 1);
  CHECK_CLOSE(bands[0], {0.2, 0.2875, 0.5125});
  CHECK(std::abs(bands[0][0] + bands[0][1] + bands[0][2] - 1) < 1e-6);
}

TEST_CASE("bands are returned in the requested order, repeats included, and no bands means all") {
  CHECK_CLOSE(stats().stats(Statistic::Mean, in("weighted", {2, 1, 2})), {-4 * 270 / 370.0, 50, -4 * 270 / 370.0});
  CHECK(stats().stats(Statistic::Mean, in("weighted")) == stats().stats(Statistic::Mean, in("weighted", {1, 2})));
}

TEST_CASE("bands count from 1, and one that is out of range is an error that says so") {
  for (const int band : {-1, 0, 3}) {
    CHECK(
        has_text(error_of([&] { stats().stats(Statistic::Mean, in("weighted", {1, band})); }),
                 "QueryError: band " + std::to_string(band) + " does not exist: bands count from 1, and there are 2"));
  }
  CHECK(has_text(error_of([] { stats().stats_categorical(in("categorical", {2})); }),
                 "QueryError: band 2 does not exist: bands count from 1, and there is 1"));
}

TEST_CASE("statistics of a level above 0 need an existing id") {
  CHECK(has_text(error_of([] { stats().stats(Statistic::Mean, {.level = 1}); }),
                 "QueryError: id is required for level > 0"));
  for (const int level : {-1, 2}) {
    CHECK(has_text(error_of([&] { stats().stats(Statistic::Mean, in("weighted", {}, level)); }),
                   "Level " + std::to_string(level) + " does not exist"));
  }
}

TEST_CASE("rows without a statistics column are an error that names the columns") {
  const std::string words = "do not contain statistics: no column 'geotiff:stats' or 'internal:stats'";
  CHECK(has_text(error_of([] { load(golden("flat.tacozip")).stats(Statistic::Mean); }), words));
  CHECK(has_text(error_of([] { stats().stats(Statistic::Mean); }), words));  // level 0 has none
  CHECK(has_text(error_of([] { load(golden("flat.tacozip")).data().stats(Statistic::Max); }), words));
}

TEST_CASE("statistics of the wrong kind for a column are an error that names its format") {
  CHECK(has_text(error_of([] { stats().stats(Statistic::Mean, in("categorical")); }),
                 "QueryError: band 1 of 1 has statistics in categorical format (3 values)"));
  CHECK(has_text(error_of([] { stats().stats_categorical(in("weighted")); }),
                 "QueryError: band 1 of 2 has statistics in continuous format"));
}

TEST_CASE("statistics at level 0 ignore the id") {
  const Dataset flat = load(golden("stats_flat.tacozip"));
  CHECK(flat.stats(Statistic::Mean, {.level = 0, .id = "whatever"}) == flat.stats(Statistic::Mean));
}

TEST_CASE("null and empty rows are skipped with their weights") {
  CHECK_CLOSE(stats().stats(Statistic::P25, in("continuous", {1})), {35});  // of two rows, not three
  CHECK_CLOSE(stats().stats(Statistic::Std, in("one_pixel", {1})), {0});
}

TEST_CASE("rows whose statistics are all null, and no rows, are errors") {
  CHECK(has_text(error_of([] { stats().stats(Statistic::Mean, in("all_null")); }), "QueryError: No valid stats found"));
  CHECK(has_text(error_of([] { stats().stats(Statistic::Mean, in("nobody")); }), "QueryError: No stats data found"));
  CHECK(has_text(error_of([] { stats().sql("SELECT * FROM data WHERE false").stats(Statistic::Mean, in("weighted")); }),
                 "No stats data found"));
}

TEST_CASE("rows of unknown size weigh the same, for dataset and frame, with a warning") {
  const Dataset flat = load(golden("stats_flat.tacozip"));
  const double std = std::sqrt((10 * 10 + 20 * 20) / 2.0 + 5 * 5);
  const Report report;
  CHECK_CLOSE(flat.stats(Statistic::Mean), {55});
  CHECK(has_text(report.warnings(), "the size of 2 of 2 samples is unknown"));
  CHECK_CLOSE(flat.stats(Statistic::Std), {std});
  CHECK_CLOSE(flat.data().stats(Statistic::Mean), {55});
  CHECK_CLOSE(flat.data().stats(Statistic::Std), {std});
}

TEST_CASE("statistics follow the current view at level 0") {
  const Dataset flat = load(golden("stats_flat.tacozip"));
  CHECK_CLOSE(flat.sql("SELECT * FROM data WHERE id = 'item_0'").stats(Statistic::Max), {100});
  CHECK_CLOSE(flat.sql("SELECT * FROM data ORDER BY id DESC LIMIT 2").stats(Statistic::Mean), {60});
  CHECK_CLOSE(flat.data().filter("id <> 'item_0'").stats(Statistic::Mean), {60});
}

TEST_CASE("statistics of a level follow filters above it") {
  CHECK(has_text(
      error_of([] { stats().sql("SELECT * FROM data WHERE id <> 'weighted'").stats(Statistic::Mean, in("weighted")); }),
      "No stats data found"));
}

TEST_CASE("statistics of a level follow a box at that level" * doctest::test_suite("external")) {
  if (missing(published("zip/nested.tacozip"))) return;
  const Dataset nested = load(published("zip/nested.tacozip"));
  const Dataset nyc = nested.filter_bbox(-75, 40, -73, 41, {.column = "auto", .level = 1});
  const DataFrame kept = children(nyc.data(), "americas");
  CHECK(kept.num_rows() < 3);
  CHECK(nyc.stats(Statistic::Mean, in("americas", {1})) == kept.stats(Statistic::Mean, {.bands = {1}}));
  CHECK(nyc.stats(Statistic::Mean, in("americas", {1})) != nested.stats(Statistic::Mean, in("americas", {1})));
}

TEST_CASE("statistics never cross the source files of a TACOCAT" * doctest::test_suite("external")) {
  if (missing(published("tacocat/deep"))) return;
  const Dataset folder = load(published("folder/deep")), tacocat = load(published("tacocat/deep"));
  for (const std::string sensor : {"sensor_A", "sensor_B"}) {
    CAPTURE(sensor);
    Values expected = folder.stats(Statistic::Mean, in(sensor, {}, 2)),
           found = tacocat.stats(Statistic::Mean, in(sensor, {}, 2));
    CHECK(close(found, expected, 1e-9));
    CHECK(
        close(tacocat.stats(Statistic::Std, in(sensor, {}, 2)), folder.stats(Statistic::Std, in(sensor, {}, 2)), 1e-9));
  }
}

TEST_CASE("statistics never cross concatenated sources") {
  const TemporaryFolder folder;
  const Dataset both = concat({load(one_parent(folder, "x", "p", 10)), load(one_parent(folder, "y", "q", 20))});
  CHECK_CLOSE(both.stats(Statistic::Mean, in("p")), {10});
  CHECK_CLOSE(both.stats(Statistic::Mean, in("q")), {20});
  CHECK(has_text(error_of([&] { both.stats(Statistic::Mean, in("a")); }), "No stats data found"));
}

TEST_CASE("parents of one id in several sources count together") {
  const TemporaryFolder folder;
  const Dataset both = concat({load(one_parent(folder, "x", "p", 10)), load(one_parent(folder, "y", "p", 20))});
  CHECK_CLOSE(both.stats(Statistic::Mean, in("p")), {15});
}

TEST_CASE("ids with quotes work in statistics") {
  const Dataset odd = load(golden("odd_names_nested.tacozip"));
  const Strings names{"a,b", "it's", "q\"q", "sp ace", "東京"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    CAPTURE(names[i]);
    CHECK_CLOSE(odd.stats(Statistic::Mean, in(names[i])), {static_cast<double>(i)});
  }
  CHECK(has_text(error_of([&] { odd.stats(Statistic::Mean, in("x' OR '1'='1")); }), "No stats data found"));
}

TEST_CASE("rows that differ in bands or kind are an error that says how") {
  const Dataset ragged = load(golden("stats_ragged.tacozip"));
  CHECK(has_text(error_of([&] { ragged.stats(Statistic::Mean); }),
                 "QueryError: statistics of samples differ: 1 bands and 2"));
  CHECK(has_text(error_of([&] { ragged.data().stats(Statistic::Mean); }),
                 "QueryError: statistics of samples differ: 1 bands and 2"));
  const Dataset mixed = ragged.sql("SELECT * FROM data WHERE id <> 'two_bands'");
  CHECK(has_text(error_of([&] { mixed.stats(Statistic::Mean); }),
                 "QueryError: statistics of band 1 of 1 differ: 9 values and 2"));
  CHECK_CLOSE(ragged.sql("SELECT * FROM data WHERE id = 'two_bands'").stats(Statistic::Mean), {50, 50});
}

TEST_CASE("NaN is skipped for its row and band alone; a row without a shape weighs as the others do") {
  const Report report;
  CHECK_CLOSE(stats().stats(Statistic::Mean, in("nan")), {50, -4 * 9 / 19.0});
  CHECK(has_text(report.warnings(), "the size of 1 of 3 samples is unknown"));
  CHECK_CLOSE(stats().stats(Statistic::Min, in("nan")), {0, -9});
  CHECK_CLOSE(stats().stats(Statistic::Max, in("nan")), {200, 5});
  CHECK_CLOSE(stats().stats(Statistic::P50, in("nan")), {50, -2});
}

TEST_CASE("a band that is NaN in every row is NaN") {
  const DataFrame rows = children(stats().data(), "nan").filter("id = 'item_1'");
  const double nan = std::nan("");
  CHECK_CLOSE(rows.stats(Statistic::Mean), {50, nan});
  CHECK_CLOSE(rows.stats(Statistic::Max), {200, nan});
  CHECK_CLOSE(rows.stats(Statistic::Std), {20, nan});
}

TEST_CASE("one pixel has a standard deviation of its own and no warning") {
  const Report report;
  CHECK_CLOSE(stats().stats(Statistic::Std, in("one_pixel")), {0});
  CHECK_CLOSE(stats().stats(Statistic::Mean, in("one_pixel")), {7});
  CHECK(report.warnings() == "");
}

TEST_CASE("a frame aggregates its own rows, as the dataset does for their parent") {
  const DataFrame weighted = children(stats().data(), "weighted");
  CHECK(weighted.stats(Statistic::Mean) == stats().stats(Statistic::Mean, in("weighted")));
  CHECK(weighted.stats(Statistic::Std, {.bands = {2}}) == stats().stats(Statistic::Std, in("weighted", {2})));
  CHECK(children(stats().data(), "categorical").stats_categorical() == stats().stats_categorical(in("categorical")));
  CHECK_CLOSE(weighted.filter("id = 'item_0'").stats(Statistic::Max), {100, 5});
  CHECK_CLOSE(weighted.limit(1, 1).stats(Statistic::Max), {200, 1});
}

TEST_CASE("statistics of a frame refuse a level") {
  CHECK(has_text(error_of([] { children(stats().data(), "weighted").stats(Statistic::Mean, in("weighted")); }),
                 "a frame aggregates its own rows"));
}

TEST_CASE("internal:stats is used where geotiff:stats is missing") {
  const Dataset flat = load(golden("stats_flat.tacozip"));
  const Dataset renamed =
      flat.sql("SELECT * EXCLUDE (\"geotiff:stats\"), \"geotiff:stats\" AS \"internal:stats\" FROM data");
  CHECK_CLOSE(renamed.stats(Statistic::Mean), {55});
  CHECK_CLOSE(renamed.data_raw().stats(Statistic::Mean), {55});
}

TEST_CASE("doubles, integers and large lists hold statistics as well") {
  const TemporaryFolder folder;
  const Dataset whole = load(
      make_flat_folder(folder, "whole", 2, "[[0, 10, i * 2, 1, 100, 1, 2, 3, 4]]::INTEGER[][] AS \"geotiff:stats\""));
  CHECK_CLOSE(whole.stats(Statistic::Mean), {1});
  const Dataset doubles = load(
      make_flat_folder(folder, "doubles", 2, "[[0, 10, i * 2, 1, 100, 1, 2, 3, 4]]::DOUBLE[][] AS \"geotiff:stats\""));
  CHECK_CLOSE(doubles.stats(Statistic::Mean), {1});
}

TEST_CASE("a statistics column that is no list of lists is an error that names its type") {
  const TemporaryFolder folder;
  const Dataset flat = load(make_flat_folder(folder, "flat", 2, "[1.0, 2.0]::DOUBLE[] AS \"geotiff:stats\""));
  CHECK(has_text(error_of([&] { flat.stats(Statistic::Mean); }),
                 "QueryError: statistics have type list<item: double>; list<item: list<item: float>> expected"));
  const Dataset text_column = load(make_flat_folder(folder, "text", 2, "'1' AS \"geotiff:stats\""));
  CHECK(has_text(error_of([&] { text_column.stats(Statistic::Mean); }), "QueryError: "));
}
