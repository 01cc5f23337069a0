#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>

#include "assets/check.hpp"
#include "assets/classes.hpp"
#include "assets/repair_plan.hpp"
#include "dataset/open_container.hpp"
#include "net/storage.hpp"
#include "support/create_files.hpp"
#include "support/geotiff_files.hpp"
#include "tacore/extensions/stac.hpp"
#include "tacore/ops/repair.hpp"

// What is planted in the metadata is found and taken back; what agrees with the files is left alone. The files are the
// only truth here: no expectation is made by the code under test.
namespace tacore {
namespace {

/// A tile of its own place and time.
TestGrid grid_at(std::size_t number) {
  const auto zone = static_cast<uint16_t>(32601 + number * 7 % 60);
  const double x = 300'000 + 1'000 * static_cast<double>(number * 13 % 400),
               y = 500'000 + 20'000 * static_cast<double>(number % 300);
  char time[20];
  std::snprintf(time, sizeof time, "2020:%02d:%02d %02d:%02d:%02d", static_cast<int>(number / 300 % 12 + 1),
                static_cast<int>(number % 28 + 1), static_cast<int>(number / 28 % 24),
                static_cast<int>(number * 7 % 60), static_cast<int>(number / 60 % 60));
  return {.epsg = zone, .geotransform = {x, 10, 0, y, 0, -10}, .time = time, .value = static_cast<uint8_t>(number)};
}

std::string iso(const std::string& tiff_time) {
  std::string out = tiff_time;
  out[4] = out[7] = '-';
  out[10] = 'T';
  return out + "Z";
}

/// The metadata that a tile should have.
std::vector<MetadataField> metadata_of(const TestGrid& grid, std::size_t number) {
  const extensions::STAC place({.crs = "EPSG:" + std::to_string(grid.epsg),
                                .tensor_shape = {1, grid.height, grid.width},
                                .geotransform = grid.geotransform,
                                .time_start = Timestamp::parse(iso(grid.time))});
  std::vector<MetadataField> out;
  const auto values = place.values();
  const Strings names{"stac:crs", "stac:tensor_shape", "stac:geotransform", "stac:time_start", "stac:centroid"};
  for (std::size_t i = 0; i < names.size(); ++i) out.push_back({names[i], values[i]});
  out.push_back({"time_ms", place.values()[3].get<Timestamp>()->microseconds / 1000});
  out.push_back({"product", "P_" + iso(grid.time).substr(0, 4) + iso(grid.time).substr(5, 2) +
                                iso(grid.time).substr(8, 2) + "_" + std::to_string(number)});
  out.push_back({"cloud", static_cast<double>(number * 37 % 100)});
  out.push_back({"split", std::string(number % 3 == 0 ? "test" : "train")});
  return out;
}

std::vector<Sample> tiles(std::size_t count) {
  std::vector<Sample> out;
  for (std::size_t i = 0; i < count; ++i) {
    const TestGrid grid = grid_at(i);
    out.emplace_back("t" + std::to_string(i) + ".tif", geotiff(grid), metadata_of(grid, i));
  }
  return out;
}

/// FOLDERs of an image and a mask; the FOLDERs have places and values of their own, or those of the FOLDER `shift` rows
/// further.
std::vector<Sample> scenes(std::size_t count, std::size_t shift = 0) {
  std::vector<Sample> out;
  for (std::size_t i = 0; i < count; ++i) {
    const TestGrid grid = grid_at(i);
    auto mask = grid;
    mask.value = 9;
    const auto fields = metadata_of(grid, i);
    std::vector<Sample> children;
    for (const bool is_mask : {false, true}) {
      const std::string name = is_mask ? "mask.tif" : "image.tif";
      auto mine = fields;
      mine.push_back({"file_path", "s" + std::to_string(i) + "/" + name});
      children.emplace_back(name, geotiff(is_mask ? mask : grid), mine);
    }
    const std::size_t from = (i + shift) % count;
    out.emplace_back("s" + std::to_string(i), Tortilla(std::move(children)),
                     std::vector<MetadataField>{{"istac:centroid", metadata_of(grid_at(from), from)[4].value},
                                                {"soil:ph", 40 + static_cast<double>(from % 30)},
                                                {"soil:clay", static_cast<double>(1 + from * 11 % 50)},
                                                {"climate", static_cast<double>(from % 300)}});
  }
  return out;
}

std::string made(const Workshop& shop, std::vector<Sample> samples, const std::string& name = "set.tacozip") {
  return create({Tortilla(std::move(samples)), collection()}, shop.out(name)).at(0);
}

assets::AssetReport report_of(const std::string& path, const assets::SurveyOptions& options = {}) {
  const auto storage = any_storage();
  return assets::check_assets(open_container(storage, detect(*storage, path), path, ""), options);
}

std::vector<std::string> rules_of(const std::string& path) {
  std::vector<std::string> out;
  for (const auto& finding : report_of(path).findings) out.push_back(finding.rule);
  std::ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

/// Changes values of a column of some rows, with an edit of tables: what a publisher did wrong.
void plant(const std::string& path, const Workshop& shop, int level, const std::string& column,
           const std::vector<std::pair<std::string, std::string>>& json_of_samples) {
  std::string lines;
  for (const auto& [sample, json] : json_of_samples)
    lines += "{\"id\": \"" + sample + "\", \"" + column + "\": " + json + "}\n";
  shop.add("planted.jsonl", lines);
  edit(path, {.level = level, .columns = {shop.source("planted.jsonl")}});
}

/// A copy of `samples` in which the metadata of row i, but for what `kept` names, is that of row `from[i]`.
std::vector<Sample> permuted(std::size_t count, const std::vector<std::size_t>& from,
                             const std::string& kept = "split") {
  std::vector<Sample> out;
  for (std::size_t i = 0; i < count; ++i) {
    auto fields = metadata_of(grid_at(from[i]), from[i]);
    const auto own = metadata_of(grid_at(i), i);
    for (std::size_t k = 0; k < fields.size(); ++k) {
      if (fields[k].key == kept) fields[k] = own[k];
    }
    out.emplace_back("t" + std::to_string(i) + ".tif", geotiff(grid_at(i)), fields);
  }
  return out;
}

}  // namespace

TEST_CASE("metadata that agrees with the files has no finding, flat and in FOLDERs") {
  const auto shop = Workshop::in_memory();
  CHECK(rules_of(made(shop, tiles(60), "flat.tacozip")) == Strings());
  CHECK(rules_of(made(shop, scenes(60), "deep.tacozip")) == Strings());
  CHECK(rules_of(made(shop, scenes(60), "folder")) == Strings());
}

TEST_CASE("a dataset with the metadata of a random permutation is repaired to the bytes of the right one") {
  const auto shop = Workshop::in_memory();
  for (const std::size_t count : {2U, 3U, 10U, 100U, 500U}) {
    CAPTURE(count);
    std::mt19937 random(static_cast<unsigned>(count));
    std::vector<std::size_t> from(count);
    std::iota(from.begin(), from.end(), std::size_t{0});
    std::ranges::shuffle(from, random);
    if (std::ranges::is_sorted(from)) std::swap(from[0], from[1]);
    const std::string right = made(shop, tiles(count), "right" + std::to_string(count) + ".tacozip");
    const std::string wrong = made(shop, permuted(count, from), "wrong" + std::to_string(count) + ".tacozip");
    const auto before = files_of(wrong);
    const std::string plan = propose_repairs(wrong);
    apply_repairs(wrong, plan);
    CHECK(files_of(wrong) == files_of(right));
    CHECK(rules_of(wrong) == Strings());
    apply_repairs(wrong, inverse_repairs(plan));
    CHECK(files_of(wrong) == before);
  }
}

TEST_CASE("scenes that share a second are told apart by the other scenes of their samples") {
  const auto shop = Workshop::in_memory();
  constexpr std::size_t kCount = 40;
  // The first scenes of two neighbours have one time, the second ones do not.
  const auto time_of = [](std::size_t sample, bool is_second) {
    return grid_at(is_second ? 100 + sample : sample / 2).time;
  };
  const auto set = [&](const std::string& name, std::size_t shift) {
    std::vector<Sample> samples;
    for (std::size_t i = 0; i < kCount; ++i) {
      const std::size_t from = (i + shift) % kCount;
      std::vector<Sample> children;
      for (const bool is_second : {false, true}) {
        TestGrid grid = grid_at(i);
        grid.time = time_of(i, is_second);
        const auto stated = Timestamp::parse(iso(time_of(from, is_second)));
        children.emplace_back(is_second ? "b.tif" : "a.tif", geotiff(grid),
                              std::vector<MetadataField>{{"time", stated}, {"score", static_cast<double>(from)}});
      }
      samples.emplace_back("s" + std::to_string(i), Tortilla(std::move(children)));
    }
    return made(shop, std::move(samples), name);
  };
  const std::string wrong = set("wrong.tacozip", 7);
  CHECK(rules_of(wrong) == Strings{"AST-20"});
  apply_repairs(wrong, propose_repairs(wrong));
  CHECK(files_of(wrong) == files_of(set("right.tacozip", 0)));
}

TEST_CASE("grids are compared to a hundredth of a pixel, CRS by where they put the raster") {
  const auto shop = Workshop::in_memory();
  const std::string path = made(shop, tiles(40));
  const auto shifted = [&](double metres) {
    const auto t = grid_at(5).geotransform;
    plant(path, shop, 0, "stac:geotransform",
          {{"t5.tif", "[" + std::to_string(t[0] + metres) + ", 10.0, 0.0, " + std::to_string(t[3]) + ", 0.0, -10.0]"}});
    return rules_of(path);
  };
  CHECK(shifted(0.09) == Strings());
  CHECK(shifted(0.11) == Strings{"AST-3"});
  CHECK(shifted(5) == Strings{"AST-3"});
  CHECK(shifted(0) == Strings());
  // ETRS89 / UTM has the coordinates of WGS 84 / UTM of the same zone, and those of another zone are elsewhere.
  const int zone = grid_at(5).epsg - 32600;
  plant(path, shop, 0, "stac:crs", {{"t5.tif", "\"EPSG:" + std::to_string(32600 + zone % 60 + 1) + "\""}});
  CHECK(rules_of(path) == Strings{"AST-2"});
  apply_repairs(path, propose_repairs(path));
  CHECK(rules_of(path) == Strings());
}

TEST_CASE("faults of single rows are found, and those that the file can answer are repaired") {
  const auto shop = Workshop::in_memory();
  const std::string right = made(shop, tiles(50), "right.tacozip"), path = made(shop, tiles(50));
  const auto whole = files_of(right);
  const auto repaired = [&](const std::string& column, const std::string& json, const Strings& rules) {
    CAPTURE(column);
    plant(path, shop, 0, column, {{"t7.tif", json}});
    CHECK(rules_of(path) == rules);
    apply_repairs(path, propose_repairs(path), {.accept_all = true});
    CHECK(files_of(path) == whole);
  };
  repaired("stac:tensor_shape", "[3, 8, 8]", {"AST-4"});
  repaired("stac:tensor_shape", "[1, 8, 9]", {"AST-4"});
  // Seconds and microseconds among milliseconds.
  const int64_t ms = Timestamp::parse(iso(grid_at(7).time)).microseconds / 1000;
  repaired("time_ms", std::to_string(ms / 1000), {"AST-21"});
  repaired("time_ms", std::to_string(ms * 1000), {"AST-21"});
  // What no file answers is told only.
  plant(path, shop, 0, "time_ms", {{"t7.tif", std::to_string(ms + 86'400'000)}});
  CHECK(rules_of(path) == Strings{"AST-12"});
  plant(path, shop, 0, "time_ms", {{"t7.tif", std::to_string(ms)}});
  plant(path, shop, 0, "product", {{"t7.tif", "\"P_20191231_7\""}});
  CHECK(rules_of(path) == Strings{"AST-12"});
}

TEST_CASE("numbers that no globe and no integer has room for are told, and not repaired to something else") {
  const Workshop shop;
  std::string far("\x01\x01\0\0\0", 5);  // a point at 1e300, 1e300
  for (int i = 0; i < 2; ++i) far.append(std::string_view("\x9C\x75\0\x88\x3C\xE4\x37\x7E", 8));
  std::vector<Sample> samples;
  for (std::size_t i = 0; i < 20; ++i) {
    TestGrid grid = grid_at(i);
    grid.nodata = i == 7 ? "nan" : "0";
    auto fields = metadata_of(grid, i);
    if (i == 3 || i == 4) fields[4].value = Binary{far};
    fields.push_back({"nodata", int64_t{0}});
    fields.push_back({"crs", i == 9 ? std::numeric_limits<double>::quiet_NaN() : static_cast<double>(grid.epsg)});
    samples.emplace_back("t" + std::to_string(i) + ".tif", geotiff(grid), fields);
  }
  const auto report = report_of(made(shop, std::move(samples)));
  REQUIRE(report.findings.size() == 2);
  const auto rule = [&](std::string_view name) {
    return *std::ranges::find(report.findings, name, &assets::Finding::rule);
  };
  CHECK(rule("AST-5").rows == std::vector<std::size_t>{3, 4});
  CHECK(rule("AST-5").changes.size() == 2);
  CHECK(rule("AST-7").rows == std::vector<std::size_t>{7});
  CHECK(rule("AST-7").changes.empty());
}

TEST_CASE("rows of a series of images of one place are exchanged only where they disagree") {
  const Workshop shop;
  std::vector<Sample> samples;
  for (std::size_t i = 0; i < 60; ++i) {
    // Two places; the metadata of rows 10 and 31 is exchanged.
    const std::size_t place = i % 2, stated = i == 10 || i == 31 ? 1 - place : place;
    auto grid = grid_at(place);
    grid.value = static_cast<uint8_t>(i);
    samples.emplace_back("t" + std::to_string(i) + ".tif", geotiff(grid), metadata_of(grid_at(stated), stated));
  }
  const auto report = report_of(made(shop, std::move(samples)));
  const auto moved = std::ranges::find(report.findings, "AST-20", &assets::Finding::rule);
  REQUIRE(moved != report.findings.end());
  CHECK(moved->rows == std::vector<std::size_t>{10, 31});
}

TEST_CASE("places and values of FOLDERs are compared with the files below them") {
  const auto shop = Workshop::in_memory();
  const std::size_t count = 200;
  const std::string right = made(shop, scenes(count), "right.tacozip");
  // The FOLDERs of two halves have exchanged their values.
  const std::string path = made(shop, scenes(count, count / 2));
  CHECK(rules_of(path) == Strings{"AST-20", "AST-5"});
  apply_repairs(path, propose_repairs(path));
  CHECK(files_of(path) == files_of(right));
}

TEST_CASE("a FOLDER of files at several places may have its centroid between them") {
  const auto shop = Workshop::in_memory();
  const auto rules = [&](double east) {
    std::vector<Sample> samples;
    for (std::size_t i = 0; i < 30; ++i) {
      // Two tiles, 60 km apart, and the middle of both.
      const double x = 400'000, y = 1'000'000 + 100'000 * static_cast<double>(i);
      std::vector<Sample> children;
      for (const double far : {0.0, 60'000.0})
        children.emplace_back(far > 0 ? "b.tif" : "a.tif", geotiff({.geotransform = {x + far, 10, 0, y, 0, -10}}));
      const extensions::STAC middle(
          {.crs = "EPSG:32630", .tensor_shape = {1, 1, 1}, .geotransform = {x + east, 10, 0, y, 0, -10}});
      samples.emplace_back("s" + std::to_string(i), Tortilla(std::move(children)),
                           std::vector<MetadataField>{{"istac:centroid", middle.values()[4]}});
    }
    return rules_of(made(shop, std::move(samples), std::to_string(shop.num_made()) + ".tacozip"));
  };
  // The extent, which create() takes from the centroids, leaves the tiles out.
  CHECK(rules(30'000) == Strings{"AST-11"});
  CHECK(rules(60'000) == Strings{"AST-11"});
  CHECK(rules(90'000) == Strings{"AST-11", "AST-5"});
}

TEST_CASE("paths of other files, of FOLDERs and of nothing are found") {
  const auto shop = Workshop::in_memory();
  const std::string right = made(shop, scenes(20), "right.tacozip"), path = made(shop, scenes(20));
  for (const std::string wrong : {"s3/mask.tif", "s3", "s3/other.tif", "s4/image.tif"}) {
    CAPTURE(wrong);
    plant(path, shop, 1, "file_path", {{"s3/image.tif", "\"" + wrong + "\""}});
    CHECK(rules_of(path) == Strings{"AST-26"});
    apply_repairs(path, propose_repairs(path));
    CHECK(files_of(path) == files_of(right));
  }
}

TEST_CASE("zeros of a quantity that cannot be 0 are proposed to be null, and made so only where a person agrees") {
  const auto shop = Workshop::in_memory();
  const std::string path = made(shop, scenes(60));
  plant(path, shop, 0, "soil:ph", {{"s3", "0.0"}, {"s8", "0.0"}});
  CHECK(rules_of(path) == Strings());  // alone it is no pattern
  plant(path, shop, 0, "soil:clay", {{"s3", "0.0"}, {"s8", "0.0"}});
  CHECK(rules_of(path) == Strings{"AST-24"});
  const std::string plan = propose_repairs(path);
  const auto before = files_of(path);
  CHECK(text_of<ValidationError>([&] { apply_repairs(path, plan); }).find("no repair of the plan is accepted") !=
        std::string::npos);
  CHECK(files_of(path) == before);
  const RepairResult done = apply_repairs(path, plan, {.accept = {1}});
  CHECK(done.num_repairs == 1);
  CHECK(done.num_values == 4);
  const auto rows = load(path).data();
  CHECK(rows.text(3, "soil:ph") == std::nullopt);
  CHECK(rows.text(8, "soil:clay") == std::nullopt);
  CHECK(rows.text(4, "soil:ph") == "44");
}

TEST_CASE("splits that overlap, equal files, one split for all, and files that are no rasters") {
  const auto shop = Workshop::in_memory();
  auto samples = tiles(120);
  const auto again = [&](const std::string& id, std::size_t number, const std::string& split) {
    auto fields = metadata_of(grid_at(number), number);
    fields.back().value = split;
    samples.emplace_back(id, geotiff(grid_at(number)), fields);
  };
  again("again.tif", 7, "train");  // as t7
  CHECK(rules_of(made(shop, samples, "equal.tacozip")) == Strings{"AST-27"});
  again("leak.tif", 8, "test");  // t8 is train
  CHECK(rules_of(made(shop, samples, "leak.tacozip")) == Strings{"AST-27", "AST-28"});
  std::vector<Sample> one;
  for (std::size_t i = 0; i < 100; ++i)
    one.emplace_back("a" + std::to_string(i), to_bytes("x"), std::vector<MetadataField>{{"split", "train"}});
  CHECK(rules_of(made(shop, one, "one.tacozip")) == Strings{"AST-23"});
  std::vector<Sample> bad;
  const Bytes tiff = geotiff(grid_at(1));
  bad.emplace_back("cut.tif", Bytes(tiff.begin(), tiff.begin() + 40));
  bad.emplace_back("text.tif", to_bytes("no TIFF"));
  bad.emplace_back("notes.txt", to_bytes("no TIFF"));
  bad.emplace_back("empty.tif", Bytes());
  CHECK(rules_of(made(shop, bad, "bad.tacozip")) == Strings{"AST-1", "AST-9"});
}

TEST_CASE("samples of different splits that overlap are all found, as by comparing each with each") {
  const auto shop = Workshop::in_memory();
  std::mt19937 random(11);
  for (const int side : {4, 12, 40}) {
    // Tiles of 80 m at multiples of 32 m: centres are 0, 32, 45 or at least 64 m apart, where 57 m is half a diagonal.
    std::vector<std::array<int, 3>> tiles;
    std::vector<Sample> samples;
    for (std::size_t i = 0; i < 300; ++i) {
      const auto& [x, y, split] = tiles.emplace_back(
          std::array{static_cast<int>(random() % static_cast<unsigned>(side)),
                     static_cast<int>(random() % static_cast<unsigned>(side)), static_cast<int>(random() % 3)});
      const TestGrid grid{.geotransform = {500'000 + 32.0 * x, 10, 0, 4'400'000 + 32.0 * y, 0, -10},
                          .value = static_cast<uint8_t>(i)};
      samples.emplace_back("t" + std::to_string(i * i), geotiff(grid),
                           std::vector<MetadataField>{{"split", std::string(1, static_cast<char>('a' + split))}});
    }
    std::vector<std::size_t> expected;
    for (std::size_t i = 0; i < tiles.size(); ++i) {
      const bool is_leak = std::ranges::any_of(tiles, [&](const auto& other) {
        const int dx = other[0] - tiles[i][0], dy = other[1] - tiles[i][1];
        return other[2] != tiles[i][2] && dx * dx + dy * dy <= 2;
      });
      if (is_leak) expected.push_back(i);
    }
    const auto report = report_of(made(shop, std::move(samples), std::to_string(side) + ".tacozip"));
    const auto leaks = std::ranges::find(report.findings, "AST-28", &assets::Finding::rule);
    REQUIRE(leaks != report.findings.end());
    CHECK(leaks->rows == expected);
  }
}

TEST_CASE("pixels that cannot be decoded, and statistics that are not those of the pixels") {
  const auto shop = Workshop::in_memory();
  const auto stats = [](double min, double max, double mean, double std) {
    return Value::List{Value(Value::List{min, max, mean, std, 100.0, min, min, max, max})};
  };
  const auto rules = [&](const Bytes& tiff, const Value& stated, const std::vector<MetadataField>& more = {}) {
    std::vector<MetadataField> fields{{"geotiff:stats", stated, "list<item: list<item: float>>"}};
    fields.insert(fields.end(), more.begin(), more.end());
    const std::string path =
        made(shop, {Sample("a.tif", tiff, fields)}, "p" + std::to_string(shop.num_made()) + ".tacozip");
    CHECK(rules_of(path) == Strings());
    Strings out;
    for (const auto& finding : report_of(path, {.pixels = true}).findings) out.push_back(finding.rule);
    return out;
  };
  const Bytes tiff = geotiff({.value = 9});
  CHECK(rules(tiff, stats(9, 9, 9, 0)) == Strings());
  CHECK(rules(tiff, {}) == Strings());
  CHECK(rules(tiff, stats(9, 9, 9.001, 0)) == Strings{"AST-13"});
  CHECK(rules(tiff, stats(0, 9, 9, 0)) == Strings{"AST-13"});
  CHECK(rules(tiff, stats(0.9, 0.9, 0.9, 0)) == Strings{"AST-13"});
  CHECK(rules(tiff, stats(0.9, 0.9, 0.9, 0), {{"scaling:scale_factor", 0.1}}) == Strings());
  CHECK(rules(geotiff({.nodata = "9", .value = 9}), stats(1, 2, 1, 1)) == Strings());  // no valid pixel
  // Deflate is stated, and zeros follow.
  Bytes broken = geotiff({.value = 0});
  const auto directory = tiff_tag_value(broken, 259);
  broken[directory] = std::byte{8};
  CHECK(rules(broken, {}) == Strings{"AST-10"});
}

TEST_CASE("some samples drawn at random are those of the seed") {
  const auto shop = Workshop::in_memory();
  const std::string path = made(shop, scenes(300));
  const auto some = report_of(path, {.sample_size = 20, .seed = 5});
  CHECK(some.survey.num_samples == 300);
  CHECK(some.survey.num_checked == 20);
  CHECK(some.survey.num_files == 40);
  CHECK(some.survey.layers[0].rows == report_of(path, {.sample_size = 20, .seed = 5}).survey.layers[0].rows);
  CHECK(some.survey.layers[0].rows != report_of(path, {.sample_size = 20, .seed = 6}).survey.layers[0].rows);
  CHECK(report_of(path, {.sample_size = 1000}).survey.num_checked == 300);
}

TEST_CASE("a plan is the same after it is written and read, and says what is wrong with it") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<Value> values{{},
                                  true,
                                  int64_t{-5},
                                  INT64_MAX,
                                  2.5,
                                  3.0,
                                  nan,
                                  -std::numeric_limits<double>::infinity(),
                                  "text \"\n\xC3\xA9",
                                  Timestamp::parse("2020-01-31T10:30:00.000001Z"),
                                  Timestamp{1'580'000'000'000'000'000},
                                  Binary{std::string("\0\x01\xFF", 3)},
                                  Binary{},
                                  Value::List{1.0, nan, Value()},
                                  Struct{{"a", int64_t{1}}, {"b", Value::List{"x"}}}};
  assets::RepairPlan plan{.dataset = "d", .version = "1"};
  assets::Repair repair{
      .number = 1, .rule = "AST-3", .reason = "why", .level = 2, .confidence = 0.5, .is_accepted = true};
  for (std::size_t i = 0; i < values.size(); ++i) repair.columns.push_back("c" + std::to_string(i));
  repair.rows.push_back({7, "a/b", values, std::vector<Value>(values.rbegin(), values.rend())});
  plan.repairs.push_back(repair);
  const std::string text = encode_plan(plan);
  const auto again = assets::parse_plan(text);
  REQUIRE(again.repairs.size() == 1);
  REQUIRE(again.repairs[0].rows.size() == 1);
  CHECK(std::ranges::equal(again.repairs[0].rows[0].old_values, values, assets::is_same_value));
  CHECK(again.repairs[0].rows[0].old_values[5].get<double>() != nullptr);  // 3.0 stays a real number
  CHECK(encode_plan(again) == text);
  for (const std::string bad :
       {"", "[]", "{}", "{\"tacore:repair_plan\": 2, \"repairs\": []}",
        "{\"tacore:repair_plan\": 1, \"repairs\": [{}]}", "{\"tacore:repair_plan\": 1, \"repairs\": [3]}",
        "{\"tacore:repair_plan\": 1, \"repairs\": [{\"number\": 1, \"level\": 0, \"columns\": [\"a\"], "
        "\"confidence\": 1, \"accepted\": true, \"changes\": [3]}]}",
        "{\"tacore:repair_plan\": 1, \"repairs\": [{\"number\": 1, \"level\": 4294967296, \"columns\": [\"a\"], "
        "\"confidence\": 1, \"accepted\": true}]}"}) {
    CAPTURE(bad);
    CHECK_THROWS_AS(assets::parse_plan(bad), FormatError);
  }
  // Other members, also ones that look like repairs, are nobody's.
  const std::string more = "{\"other\": [{\"changes\": [{\"row\": 1}]}], " + text.substr(1);
  CHECK(encode_plan(assets::parse_plan(more)) == text);
  for (std::size_t size = 0; size + 3 < text.size(); size += 7)
    CHECK_THROWS_AS(assets::parse_plan(std::string_view(text).substr(0, size)), FormatError);
}

TEST_CASE("a plan of another dataset, or one that was made, changes nothing and names the row and both values") {
  const auto shop = Workshop::in_memory();
  const std::string path = made(shop, tiles(30));
  plant(path, shop, 0, "stac:tensor_shape", {{"t7.tif", "[3, 8, 8]"}});
  const std::string plan = propose_repairs(path);
  apply_repairs(path, plan);
  const auto before = files_of(path);
  const auto why = text_of<ValidationError>([&] { apply_repairs(path, plan); });
  for (const std::string part :
       {"repair 1", "stac:tensor_shape", "row 7", "t7.tif", "is [1, 8, 8]", "[3, 8, 8] expected"}) {
    CAPTURE(part);
    CHECK(why.find(part) != std::string::npos);
  }
  CHECK(files_of(path) == before);
  CHECK(text_of<ValidationError>([&] { apply_repairs(path, plan, {.accept = {9}}); }).find("no repair 9") !=
        std::string::npos);
  CHECK_THROWS_AS(apply_repairs(path, "no JSON"), FormatError);
  CHECK(files_of(path) == before);
}

TEST_CASE("a plan whose row is another sample by now changes nothing, though its old value is the same") {
  const auto shop = Workshop::in_memory();
  const auto shapes_wrong = [&](std::vector<Sample> samples, const std::string& name, const std::string& id) {
    const std::string path = made(shop, std::move(samples), name);
    plant(path, shop, 0, "stac:tensor_shape", {{id, "[3, 8, 8]"}});
    return path;
  };
  auto others = tiles(31);
  others.erase(others.begin());  // row 7 is t8.tif
  const std::string plan = propose_repairs(shapes_wrong(tiles(30), "here.tacozip", "t7.tif")),
                    other = shapes_wrong(std::move(others), "there.tacozip", "t8.tif");
  const auto before = files_of(other);
  const auto why = text_of<ValidationError>([&] { apply_repairs(other, plan); });
  CHECK(why.find("row 7 is the sample 't8.tif', 't7.tif' expected") != std::string::npos);
  CHECK(files_of(other) == before);
}

TEST_CASE("samples of one scene in different splits are told, samples of several scenes in a split are not") {
  const Workshop shop;
  const auto made_with = [&](const std::string& name, std::size_t num_scenes, const auto& split_of) {
    std::vector<Sample> samples;
    for (std::size_t i = 0; i < 100; ++i) {
      const std::size_t scene = i % num_scenes;
      samples.emplace_back("t" + std::to_string(i) + ".tif", geotiff(grid_at(i)),
                           std::vector<MetadataField>{{"scene_id", "S" + std::to_string(scene)},
                                                      {"split", std::string(split_of(i, scene) ? "test" : "train")}});
    }
    return made(shop, std::move(samples), name);
  };
  const auto by_scene = [](std::size_t, std::size_t scene) { return scene % 5 == 0; };
  CHECK(rules_of(made_with("clean.tacozip", 25, by_scene)).empty());
  // Sample 30 is of scene 5, which is in the tests but for this one.
  const std::string path =
      made_with("leak.tacozip", 25, [&](std::size_t i, std::size_t scene) { return by_scene(i, scene) != (i == 30); });
  const auto report = report_of(path);
  REQUIRE(report.findings.size() == 1);
  CHECK(report.findings[0].rule == "AST-28");
  CHECK(report.findings[0].rows == std::vector<std::size_t>{5, 30, 55, 80});
  CHECK(report.findings[0].faults[0].message ==
        "is of split 'test', and of the scene 'S5' (scene_id), as 't30.tif' of split 'train'");
  // Of few scenes, samples cannot be divided by scene.
  CHECK(rules_of(made_with("few.tacozip", 7, [](std::size_t i, std::size_t) { return i % 5 == 0; })).empty());
}

TEST_CASE("declared classes are read of COLLECTION.json and of descriptions, and nothing else is taken for them") {
  using assets::DeclaredClass, assets::DeclaredClasses;
  const auto of = [](const std::string& json) { return assets::classes_of({.json = json}); };
  CHECK(
      of("{\"labels:classes\": [{\"name\": \"water\", \"category\": \"0\"}, {\"name\": \"land\", \"category\": 1}]}") ==
      DeclaredClasses{{"0", "water"}, {"1", "land"}});
  CHECK(of("{\"labels:classes\": {\"name\": \"water\", \"category\": \"0\"}}") == DeclaredClasses{{"0", "water"}});
  for (const std::string none : {"", "{}", "[]", "{\"labels:classes\": null}", "{\"labels:classes\": 7}",
                                 "{\"labels:classes\": [7, null, {}, [], {\"category\": []}]}"})
    CHECK(of(none).empty());
  CHECK(assets::classes_in("Land cover; 0 = water, 1 = woods, shrubs, 2 = ice") ==
        DeclaredClasses{{"0", "water"}, {"1", "woods, shrubs"}, {"2", "ice"}});
  CHECK(assets::classes_in("a = x, b = y") == DeclaredClasses{{"a", "x"}, {"b", "y"}});
  for (const std::string none : {"", "Land cover", "Land cover; 0 = water", "ratio of a = b to c", "where x = 3, y = 4",
                                 "Height; none is known", " = , = ", "Slope (m); see doc = 1"}) {
    CAPTURE(none);
    CHECK(assets::classes_in(none).empty());
  }
  CHECK(assets::class_numbers({{"0", "a"}, {"2.5", "b"}}) == std::vector<double>{0, 2.5});
  CHECK(assets::class_numbers({{"0", "a"}, {"x", "b"}}) == std::nullopt);
  CHECK(assets::class_numbers({}) == std::nullopt);
}

TEST_CASE("the time of a TIFF is read in its one form") {
  CHECK(assets::parse_tiff_time("1970:01:02 00:00:01") == 86'401'000'000);
  CHECK(assets::parse_tiff_time("2024:02:29 23:59:59") == Timestamp::parse("2024-02-29T23:59:59Z").microseconds);
  for (const std::string bad :
       {"", "2024-02-29 23:59:59", "2023:02:29 00:00:00", "2024:13:01 00:00:00", "2024:01:01 24:00:00",
        "2024:01:01T00:00:00", "    :  :     :  :  ", "2024:01:01 00:00:0x"}) {
    CAPTURE(bad);
    CHECK(assets::parse_tiff_time(bad) == std::nullopt);
  }
}

TEST_SUITE("threads") {
  TEST_CASE("several threads compare the layers of a dataset, and find what one finds") {
    const Workshop shop;
    const auto path = made(shop, scenes(80, 3));
    const auto found = [&](int jobs) {
      Strings out;
      for (const auto& finding : report_of(path, {.jobs = jobs}).findings)
        out.push_back(finding.rule + " " + std::to_string(finding.rows.size()) + " " + finding.message);
      return out;
    };
    const Strings alone = found(1);
    CHECK(std::ranges::any_of(alone, [](const std::string& finding) { return finding.starts_with("AST-20"); }));
    for (const int jobs : {2, 4}) CHECK(found(jobs) == alone);
  }
}

}  // namespace tacore
