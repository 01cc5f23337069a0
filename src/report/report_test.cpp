#include "tacore/ops/report.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <tuple>

#include "describe/json.hpp"
#include "support/create_files.hpp"
#include "support/geotiff_files.hpp"
#include "tacore/extensions/geotiff_stats.hpp"
#include "tacore/extensions/stac.hpp"
#include "tacore/ops/consolidate.hpp"
#include "tacore/ops/doctor.hpp"
#include "tacore/ops/edit.hpp"
#include "tacore/ops/repair.hpp"
#include "tacore/ops/sign.hpp"

namespace tacore {
namespace {

using descriptions::Json;
using Rows = std::set<int64_t>;

/// Tiles along a road through Spain; those of `wrong` state another geotransform than their files have. Nested, each is
/// in a folder of its own.
std::string tiles(const Workshop& shop, int64_t count, const Rows& wrong, const std::string& name = "set.tacozip",
                  Collection about = collection(), bool nested = false) {
  std::vector<Sample> samples;
  for (int64_t i = 0; i < count; ++i) {
    TestGrid grid;
    grid.geotransform[0] += 5000 * static_cast<double>(i);
    auto stated = grid.geotransform;
    if (wrong.contains(i)) stated[3] += 40'000;
    const std::string id = "t" + std::to_string(i);
    Sample sample(nested ? "tile.tif" : id + ".tif", geotiff(grid));
    sample.extend_with(extensions::STAC({.crs = "EPSG:32630",
                                         .tensor_shape = {1, grid.height, grid.width},
                                         .geotransform = stated,
                                         .time_start = Timestamp::parse("2021-05-01T00:00:00Z")}));
    samples.push_back(nested ? Sample(id, Tortilla({std::move(sample)})) : std::move(sample));
  }
  return create({Tortilla(std::move(samples)), std::move(about)}, shop.out(name)).at(0);
}

Rows rows_of(const std::vector<Issue>& issues, const std::string& rule, const std::string& path) {
  Rows out;
  for (const Issue& issue : issues) {
    if (issue.rule != rule || issue.where.path != path) continue;
    for (const FaultySample& sample : issue.samples) CHECK(out.insert(sample.row).second);
  }
  return out;
}

std::size_t count_in(const std::string& text, const std::string& part) {
  std::size_t out = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++out;
  return out;
}

TEST_CASE("issues name all samples that they are about, told or not, and where these lie") {
  const Workshop shop;
  Rows wrong;
  for (int64_t row = 2; row < 60; row += 2) wrong.insert(row);
  const std::string path = tiles(shop, 60, wrong);
  const auto issues = validate(path, {.assets = true});
  CHECK(rows_of(issues, "AST-3", path) == wrong);
  int64_t count = 0;
  for (const Issue& issue : issues) {
    if (issue.rule != "AST-3") continue;
    count += issue.num_issues;
    CHECK(issue.num_issues == static_cast<int64_t>(issue.samples.size()));
    for (const FaultySample& sample : issue.samples) {
      REQUIRE(sample.place);
      // The files lie along 39.7 degrees of latitude, whatever the metadata say.
      CHECK(std::abs(sample.place->lat - 39.7) < 0.1);
      CHECK(std::abs(sample.place->lon - (-3 + 0.0585 * static_cast<double>(sample.row))) < 0.1);
    }
  }
  CHECK(count == static_cast<int64_t>(wrong.size()));
}

TEST_CASE("of an index, the rows are those of each dataset") {
  const Workshop shop;
  const std::string first = tiles(shop, 30, {1, 5}, "a.tacozip"), second = tiles(shop, 40, {0, 5, 7}, "b.tacozip");
  const std::string index = create_tacollection({first, second});
  const auto issues = validate(index, {.assets = true});
  CHECK(rows_of(issues, "AST-3", first) == Rows{1, 5});
  CHECK(rows_of(issues, "AST-3", second) == Rows{0, 5, 7});
  const std::string page = issues2html(issues, index);
  CHECK(page.find("row 7 of " + second) != page.npos);
  CHECK(count_in(page, "data:image/png;base64,") == 5);
}

std::vector<std::map<std::string, std::string>> all_files(const std::vector<std::string>& paths) {
  std::vector<std::map<std::string, std::string>> out;
  for (const auto& path : paths) out.push_back(files_of(path));
  return out;
}

/// The tables of a ZIP by name: of its levels, and of its folders.
std::map<std::string, std::string> tables_of(const std::string& zip) {
  auto out = files_of(zip);
  std::erase_if(
      out, [](const auto& file) { return !file.first.starts_with("METADATA/") && !file.first.ends_with("__meta__"); });
  return out;
}

TEST_CASE("the plan of an index repairs its ZIPs, and undoes that") {
  for (const bool nested : {false, true}) {
    for (const auto& [order, single_file] :
         {std::pair("", false), std::pair("", true), std::pair("hilbert", false), std::pair("hilbert", true)}) {
      CAPTURE(nested);
      CAPTURE(order);
      CAPTURE(single_file);
      const Workshop shop;
      const auto made = [&](int64_t count, const Rows& wrong, const std::string& name) {
        return tiles(shop, count, wrong, name, collection(), nested);
      };
      const std::string right = made(40, {}, "right.tacozip");
      const std::vector<std::string> zips{made(30, {1, 5}, "a.tacozip"), made(40, {0, 5, 7}, "b.tacozip"),
                                          made(20, {}, "c.tacozip")};
      const TacocatOptions how{.single_file = single_file, .order = order, .overwrite = true};
      const std::string index = create_tacocat(zips, how);
      const auto before = all_files(zips);
      const std::string plan = propose_repairs(index);
      // The plan has no repair of this number.
      CHECK_THROWS_AS(apply_repairs(index, plan, {.accept = {77}}), ValidationError);
      // Its rows are not those of one of its ZIPs.
      CHECK_THROWS_AS(apply_repairs(zips[0], plan), ValidationError);
      CHECK(all_files(zips) == before);
      const RepairResult done = apply_repairs(index, plan);
      CHECK(done.num_values == 10);  // a geotransform and a centroid of each wrong row
      CHECK(tables_of(zips[1]) == tables_of(right));
      CHECK(tables_of(right).size() == (nested ? 42 : 1));
      CHECK(files_of(zips[2]) == before[2]);
      CHECK(rows_of(validate(create_tacocat(zips, how), {.assets = true}), "AST-3", index).empty());
      // Again there is nothing to do, which is an error, before any ZIP is changed.
      CHECK_THROWS_AS(apply_repairs(index, plan), ValidationError);
      apply_repairs(index, inverse_repairs(plan));
      CHECK(all_files(zips) == before);
    }
  }
}

TEST_CASE("the plan of an index whose ZIPs are others by now changes none of them") {
  const Workshop shop;
  const std::vector<std::string> zips{tiles(shop, 30, {1, 5}, "a.tacozip"), tiles(shop, 40, {0, 5, 7}, "b.tacozip")};
  const std::string index = create_tacocat(zips), plan = propose_repairs(index);
  for (const auto& [count, wrong, what] :
       std::vector<std::tuple<int, Rows, std::string>>{{40, {0, 5}, "of row 7"}, {6, {0, 5}, "no sample 't7.tif'"}}) {
    std::filesystem::remove(zips[1]);
    tiles(shop, count, wrong, "b.tacozip");
    const auto before = all_files(zips);
    const auto why = text_of<ValidationError>([&] { apply_repairs(index, plan); });
    CHECK(why.find(what) != why.npos);
    CHECK(why.find("b.tacozip") != why.npos);
    CHECK(all_files(zips) == before);
  }
}

TEST_CASE("a repair of an index that is stopped leaves each ZIP old or new, and is done again from a new index") {
  const Workshop shop;
  const std::vector<std::string> zips{tiles(shop, 30, {1, 5}, "a.tacozip"), tiles(shop, 40, {0, 5, 7}, "b.tacozip")};
  const std::string index = create_tacocat(zips);
  const auto before = all_files(zips);
  uint64_t size = std::filesystem::file_size(zips[1]);
  const Task until_second{
      .progress = [](uint64_t, uint64_t num_bytes, void* of) { return num_bytes != *static_cast<uint64_t*>(of); },
      .user = &size};
  CHECK_THROWS_AS(apply_repairs(index, propose_repairs(index), {.edit = {.task = until_second}}), IoError);
  const auto half = all_files(zips);
  CHECK(half[0] != before[0]);
  CHECK(half[1] == before[1]);
  const std::string again = create_tacocat(zips, {.overwrite = true});
  CHECK(apply_repairs(again, propose_repairs(again)).num_values == 6);
  CHECK(files_of(zips[0]) == half[0]);
  CHECK(rows_of(validate(create_tacocat(zips, {.overwrite = true}), {.assets = true}), "AST-3", index).empty());
}

TEST_CASE("of an index, the proof of each dataset is verified") {
  const Workshop shop;
  const std::string first = tiles(shop, 3, {}, "a.tacozip"), second = tiles(shop, 3, {}, "b.tacozip");
  create_key(shop.out("key"));
  sign_dataset(second, {.key = shop.out("key")});
  edit(second, {.set = {{"title", R"("Another")"}}});
  for (const std::string& index : {create_tacollection({first, second}), create_tacocat({first, second})}) {
    const auto issues = validate(index, {.deep = true});
    const auto found = std::ranges::find(issues, "PRF-1", &Issue::rule);
    REQUIRE(found != issues.end());
    CHECK(found->where.path == second);
  }
}

TEST_CASE("JSON and SARIF have one entry for each issue, with its rows") {
  const Workshop shop;
  const std::string path = tiles(shop, 40, {3, 4, 30});
  const auto issues = validate(path, {.assets = true});
  const Json list = Json::parse(issues2json(issues));
  const Json sarif = Json::parse(issues2sarif(issues, path));
  CHECK(sarif["version"] == "2.1.0");
  const Json &run = sarif["runs"][0], &rules = run["tool"]["driver"]["rules"];
  REQUIRE(list.size() == issues.size());
  REQUIRE(run["results"].size() == issues.size());
  for (std::size_t i = 0; i < issues.size(); ++i) {
    const Json& result = run["results"][i];
    CHECK(list[i]["rule"] == issues[i].rule);
    CHECK(result["ruleId"] == issues[i].rule);
    CHECK(rules[result["ruleIndex"].get<std::size_t>()]["id"] == issues[i].rule);
    CHECK(result["level"] == list[i]["severity"]);
    CHECK(result["message"]["text"] == issues[i].message);
    std::vector<int64_t> rows;
    for (const FaultySample& sample : issues[i].samples) rows.push_back(sample.row);
    CHECK(list[i]["rows"] == Json(rows));
    CHECK(result["properties"].value("rows", Json::array()) == Json(rows));
  }
  CHECK(issues2json({}) == "[]\n");
  CHECK(Json::parse(issues2sarif({}, path))["runs"][0]["results"].empty());
}

TEST_CASE("paths in reports are URIs without secrets, and any text is escaped") {
  const std::vector<Issue> issues = {
      {.rule = "ZIP-3",
       .message = "a <script>\"'&\x01\xff",
       .where = {.path = "https://u:secret@host/a.tacozip?sig=secret"}},
      {.rule = "mine", .message = "b", .where = {.path = "/a b/ü.tacozip", .offset = 12}, .num_issues = 5}};
  const Json results = Json::parse(issues2sarif(issues, "x"))["runs"][0]["results"];
  const auto place = [&](std::size_t i) { return results[i]["locations"][0]["physicalLocation"]; };
  CHECK(place(0)["artifactLocation"]["uri"].get<std::string>().find("secret") == std::string::npos);
  CHECK(place(1)["artifactLocation"]["uri"] == "file:///a%20b/%C3%BC.tacozip");
  CHECK(place(1)["region"]["byteOffset"] == 12);
  CHECK(results[1]["occurrenceCount"] == 5);
  CHECK_FALSE(results[1].contains("ruleIndex"));
  const std::string page = issues2html(issues, "https://u:secret@127.0.0.1:1/a.tacozip");
  CHECK(page.find("a <script>") == page.npos);
  CHECK(page.find("a &lt;script&gt;&quot;&#39;&amp;") != page.npos);
  CHECK(page.find("secret") == page.npos);
  CHECK(page.find("5 errors") == page.npos);
  CHECK(page.find("6 errors") != page.npos);
}

TEST_CASE("the page shows the samples with the most faults first, on a map and as pictures") {
  const Workshop shop;
  const std::string path = tiles(shop, 50, {7, 9, 11});
  std::vector<Issue> issues = validate(path, {.assets = true});
  issues.push_back({.rule = "AST-8", .message = "sample 't11.tif': x", .samples = {{.row = 11, .place = {}}}});
  issues.push_back({.rule = "AST-21", .severity = Severity::Warning, .message = "y", .samples = {{9, {}}, {40, {}}}});
  const std::string page = issues2html(issues, path);
  const auto at = [&](const std::string& row) { return page.find("<span class=\"dim\">row " + row + " "); };
  CHECK(at("11") < at("9"));     // two errors
  CHECK(at("9") < at("7"));      // an error and a warning
  CHECK(at("7") < at("40"));     // an error
  CHECK(at("40") != page.npos);  // a warning
  CHECK(at("8") == page.npos);
  CHECK(count_in(page, "data:image/png;base64,") == 4);
  CHECK(page.find("3 samples with a fault, where their files lie") != page.npos);
  CHECK(issues2html(issues, path) == page);
  CHECK(count_in(issues2html(issues, path, {.pictures = 1}), "data:image/png;base64,") == 1);
  CHECK(issues2html(issues, path, {.sample_size = 1000}).find("less than 0.3 % of all") != page.npos);
  const std::string clean = issues2html({}, path);
  CHECK(clean.find("Nothing is wrong") != clean.npos);
  CHECK(clean.find("Worst samples") == clean.npos);
}

TEST_CASE("a dataset that cannot be opened has a page without map and pictures") {
  const Workshop shop;
  const std::string path = tiles(shop, 20, {3});
  const auto issues = validate(path, {.assets = true});
  fs::resize_file(path, 500);
  const std::string page = issues2html(issues, path);
  CHECK(page.find("AST-3") != page.npos);
  CHECK(page.find("data:image") == page.npos);
  fs::remove(path);
  CHECK(issues2html(validate(path), path).find("FMT-2") != page.npos);
}

// Report cards.

const CardItem* find(const ReportCard& card, const std::string& what) {
  const auto found =
      std::ranges::find_if(card.items, [&](const CardItem& item) { return item.what.starts_with(what); });
  return found == card.items.end() ? nullptr : &*found;
}

bool is_met(const ReportCard& card, const std::string& what) {
  const CardItem* item = find(card, what);
  CAPTURE(what);
  REQUIRE(item != nullptr);
  CHECK(item->advice.empty() == item->is_met);
  CHECK((item->benefit == 0) == item->is_met);
  return item->is_met;
}

TEST_CASE("what a report card advises makes its items met") {
  const Workshop shop;
  Collection about = collection();
  about.licenses = {"mine"};
  about.dataset_version = "draft";
  const std::string path = tiles(shop, 30, {4}, "set.tacozip", about);
  const Strings all = {"A persistent identifier",
                       "A title in words",
                       "Three keywords",
                       "A licence of the SPDX",
                       "Somebody to ask",
                       "A version of numbers",
                       "A proof",
                       "A description of a sentence",
                       "References",
                       "What the data should not"};
  const ReportCard before = examine(path);
  CHECK(before.id == "made");
  CHECK(before.num_samples == 30);
  for (const std::string& what : all) CHECK_FALSE(is_met(before, what));
  CHECK(is_met(before, "The specification: no error"));
  CHECK_FALSE(is_met(before, "Metadata and files agree: no error"));
  CHECK(is_met(before, "The area"));
  CHECK(is_met(before, "The time"));

  edit(path, {.set = {{"title", R"("Tiles along a road")"},
                      {"keywords", R"(["Spain", "road", "test"])"},
                      {"licenses", R"(["CC-BY-4.0"])"},
                      {"dataset_version", R"("1.0.0")"},
                      {"curators", R"([{"name": "A", "email": "a@example.org"}])"},
                      {"scientific", R"({"doi": "10.1234/5678", "citation": "A, 2021"})"},
                      {"description", "\"" + std::string(120, 'd') + "\""},
                      {"rai:dataLimitations", R"("none")"}}});
  create_key(shop.out("key"));
  // The wrong row is mended first: a signature covers it.
  apply_repairs(path, propose_repairs(path));
  sign_dataset(path, {.key = shop.out("key")});
  const ReportCard after = examine(path);
  for (const std::string& what : all) CHECK(is_met(after, what));
  CHECK(is_met(after, "Metadata and files agree: no error"));
  const auto left = advice(after);
  CHECK(left.size() < advice(before).size());
  CHECK(std::ranges::is_sorted(left, std::greater(), &CardItem::benefit));
}

TEST_CASE("statistics, classes and bands are missed where the task needs them") {
  const Workshop shop;
  Collection about = collection();
  about.tasks = {"semantic-segmentation"};
  const ReportCard card = examine(tiles(shop, 3, {}, "set.tacozip", about));
  CHECK_FALSE(is_met(card, "The names of the classes"));
  CHECK_FALSE(is_met(card, "The names and wavelengths"));
  CHECK_FALSE(is_met(card, "Statistics of the bands"));
  CHECK(find(examine(tiles(shop, 3, {}, "other.tacozip")), "The names of the classes") == nullptr);
  Sample sample("a.tif", geotiff({}));
  sample.extend_with(extensions::GeotiffStats());
  CHECK(
      is_met(examine(create({Tortilla({sample}), about}, shop.out("stats.tacozip")).at(0)), "Statistics of the bands"));
}

TEST_CASE("the reading of a dataset is measured, and its requests are those of a server") {
  const Workshop shop;
  const ReportCard card = examine(tiles(shop, 40, {}));
  REQUIRE(card.reading);
  CHECK(card.reading->inputs == Strings{""});
  CHECK(card.reading->num_samples == 40);
  CHECK(card.reading->num_bytes == 40 * 64);
  CHECK(card.reading->samples_per_second > 0);
  // Neighbours are read together: 40 kB take few requests, and never more than one a sample.
  CHECK(card.reading->requests_in_order < 0.2);
  CHECK(card.reading->requests_shuffled <= 1.1);
  CHECK(is_met(card, "All samples have one shape"));

  // Of two shapes, half of the samples fit into no batch.
  std::vector<Sample> samples;
  for (int i = 0; i < 20; ++i) samples.emplace_back("s" + std::to_string(i), geotiff({.width = i % 2 == 0 ? 8 : 9}));
  const ReportCard mixed =
      examine(create({Tortilla(std::move(samples)), collection()}, shop.out("mixed.tacozip")).at(0));
  CHECK_FALSE(is_met(mixed, "All samples have one shape"));
  REQUIRE(mixed.reading);
  CHECK(mixed.reading->num_samples == 10);

  // Large strips.
  const std::string large = create({Tortilla({Sample("a.tif", geotiff({.width = 2048, .height = 600}))}), collection()},
                                   shop.out("large.tacozip"))
                                .at(0);
  const ReportCard strips = examine(large);
  CHECK_FALSE(is_met(strips, "Crops of 256 pixels"));
  CHECK_FALSE(is_met(strips, "The pixels are compressed"));
  CHECK(find(strips, "The pixels are compressed")->benefit > 50);  // all pixels are equal
  CHECK_FALSE(examine(large, {.read_size = 0}).reading);
}

TEST_CASE("datasets without rasters, and what is no dataset, have a card, too") {
  const Workshop shop;
  const std::string texts =
      create({Tortilla({Sample("a.txt", Bytes{std::byte{65}})}), collection()}, shop.out("texts.tacozip")).at(0);
  const ReportCard card = examine(texts);
  CHECK_FALSE(card.reading);
  CHECK(is_met(card, "The specification: no error"));
  shop.add("broken.tacozip", "PK");
  const ReportCard broken = examine(shop.source("broken.tacozip"));
  CHECK_FALSE(is_met(broken, "The specification: no error"));
  CHECK(advice(broken).front().benefit == 100);
  CHECK(find(broken, "Metadata and files agree") == nullptr);  // nothing was compared
  CHECK(card2html(broken).find(broken.issues.at(0).rule) != std::string::npos);
  const ReportCard missing = examine(shop.source("missing.tacozip"));
  CHECK(missing.issues.at(0).rule == "FMT-2");
  const std::string folder = create({Tortilla({Sample("a.tif", geotiff({}))}), collection()}, shop.out("folder")).at(0);
  CHECK_FALSE(is_met(examine(folder), "Few files"));
  CHECK(examine(folder).reading);
}

TEST_CASE("a card as JSON and HTML says what the card has") {
  const Workshop shop;
  const std::string path = tiles(shop, 30, {4, 5});
  const ReportCard card = examine(path);
  const Json json = Json::parse(card2json(card));
  REQUIRE(json["items"].size() == card.items.size());
  int met = 0;
  for (std::size_t i = 0; i < card.items.size(); ++i) {
    CHECK(json["items"][i]["what"] == card.items[i].what);
    met += card.items[i].is_met;
  }
  int counted = 0;
  for (const Json& part : json["parts"]) counted += part["met"].get<int>();
  CHECK(counted == met);
  const auto order = advice(card);
  REQUIRE(json["advice"].size() == order.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    CHECK(card.items[json["advice"][i].get<std::size_t>()].what == order[i].what);
  CHECK(json["issues"].size() == card.issues.size());
  CHECK(json["reading"]["num_samples"] == 30);
  const std::string page = card2html(card);
  CHECK(page.find("Tiles") == page.npos);
  CHECK(page.find(std::to_string(met) + " of " + std::to_string(card.items.size())) != page.npos);
  CHECK(count_in(page, "data:image/png;base64,") == 2);
  int calls = 0;
  const Task stops{.progress = [](uint64_t, uint64_t, void* user) { return ++*static_cast<int*>(user) < 0; },
                   .user = &calls};
  CHECK_THROWS_AS(examine(path, {.task = stops}), IoError);
}

}  // namespace
}  // namespace tacore
