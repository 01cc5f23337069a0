#include "validate/parts.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "assets/facts_bytes.hpp"
#include "support/create_files.hpp"
#include "support/geotiff_files.hpp"
#include "tacore/extensions/stac.hpp"
#include "tacore/ops/validate.hpp"

namespace tacore::validator {
namespace {

TestGrid grid_of(int number) {
  return {.epsg = 32633,
          .geotransform = {300'000 + 1'000.0 * (number % 50), 10, 0, 500'000 + 1'000.0 * (number / 50), 0, -10},
          .value = static_cast<uint8_t>(number)};
}

/// Tiles, some of which have a wrong CRS or shape, are cut off, or are no TIFF.
std::string faulty(const Workshop& shop, int count) {
  std::vector<Sample> samples;
  for (int i = 0; i < count; ++i) {
    const TestGrid grid = grid_of(i);
    const extensions::STAC place({.crs = i % 97 == 5 ? "EPSG:32733" : "EPSG:32633",
                                  .tensor_shape = {1, grid.height, grid.width + (i % 201 == 7 ? 1 : 0)},
                                  .geotransform = grid.geotransform,
                                  .time_start = Timestamp{i}});
    std::vector<MetadataField> metadata;
    const auto values = place.values();
    const Strings names{"stac:crs", "stac:tensor_shape", "stac:geotransform", "stac:time_start", "stac:centroid"};
    for (std::size_t k = 0; k < names.size(); ++k) metadata.push_back({names[k], values[k]});
    Bytes data = geotiff(grid);
    if (i % 149 == 3) data.resize(data.size() / 2);
    if (i % 211 == 9) data = Bytes(100, std::byte{'x'});
    samples.emplace_back("t" + std::to_string(i) + ".tif", std::move(data), std::move(metadata));
  }
  return create({Tortilla(std::move(samples)), collection()}, shop.out("faulty.tacozip")).at(0);
}

std::vector<std::string> said(const std::vector<Issue>& issues) {
  std::vector<std::string> out;
  for (const Issue& issue : issues) {
    out.push_back(issue.rule + " " + issue.message + " " + std::to_string(issue.num_issues));
    for (const FaultySample& sample : issue.samples)
      out.back() += " " + std::to_string(sample.row) + (sample.place ? std::to_string(sample.place->lon) : "");
  }
  return out;
}

std::string bytes_of_part() {
  assets::AssetKinds kinds;
  const auto kind = kinds.keep({.format = "GTiff", .crs = "EPSG:32633", .width = 3, .bands = 2});
  const std::vector<assets::AssetFacts> facts = {
      {.kind = kind, .size = 7, .geotransform = {{1, 2, 3, 4, 5, 6}}, .time = -1}, {.fault = "gone"}, {.kind = kind}};
  return encode_part({.facts = {assets::encode_facts(facts), ""},
                      .faults = {{.rule = "TIF-3", .message = "cut", .sample = "a/b", .level = 1}}});
}

}  // namespace

TEST_CASE("a validation in parts finds what one of the whole does") {
  const auto shop = Workshop::in_memory();
  const std::string path = faulty(shop, 700);
  for (const bool deep : {false, true}) {
    ValidateOptions options{.deep = deep, .assets = true};
    const auto whole = said(validate(path, options));
    const auto has = [&](const std::string& rule) {
      return std::ranges::any_of(whole, [&](const std::string& line) { return line.starts_with(rule + " "); });
    };
    // What the files are is told first, and the metadata only where they are right.
    for (const std::string rule : {"AST-2", "AST-4", "AST-9"}) CHECK(has(rule) != deep);
    for (const std::string rule : {"TIF-3", "TIF-5"}) CHECK(has(rule) == deep);
    for (const int num_parts : {1, 2, 3, 800}) {
      options.parts.clear();
      for (int part = 0; part < num_parts; ++part)
        options.parts.push_back(validate_part(path, part, num_parts, options));
      CAPTURE(deep);
      CAPTURE(num_parts);
      CHECK(said(validate(path, options)) == whole);
    }
  }
}

TEST_CASE("parts of a sample that is drawn at random belong to the same draw") {
  const auto shop = Workshop::in_memory();
  const std::string path = faulty(shop, 700);
  ValidateOptions options{.assets = true, .sample_size = 300, .seed = 3};
  const auto whole = said(validate(path, options));
  for (int part = 0; part < 2; ++part) options.parts.push_back(validate_part(path, part, 2, options));
  CHECK(said(validate(path, options)) == whole);
}

TEST_CASE("parts that are missing are told, and numbers out of range refused") {
  const auto shop = Workshop::in_memory();
  const std::string path = faulty(shop, 700);
  ValidateOptions options{.assets = true};
  options.parts = {validate_part(path, 0, 2, options)};
  const auto issues = validate(path, options);
  REQUIRE(!issues.empty());
  CHECK(issues.back().rule == "FMT-2");
  CHECK(issues.back().message.find("has other files") != std::string::npos);
  for (const int part : {-1, 2}) CHECK_THROWS_AS((void)validate_part(path, part, 2), QueryError);
}

TEST_CASE("a part is the same after it is written and read, and no other bytes are one") {
  const std::string bytes = bytes_of_part();
  const PartOfFiles part = decode_part(bytes);
  CHECK(encode_part(part) == bytes);
  assets::AssetKinds kinds;
  const auto facts = assets::decode_facts(part.facts[0], kinds);
  REQUIRE(facts.size() == 3);
  CHECK(facts[0].kind->crs == "EPSG:32633");
  CHECK(facts[0].kind == facts[2].kind);
  CHECK((*facts[0].geotransform)[5] == 6);
  CHECK(facts[0].time == -1);
  CHECK(facts[1].fault == "gone");
  CHECK(part.faults[0].sample == "a/b");
  for (std::size_t size = 0; size < bytes.size(); ++size)
    CHECK_THROWS_AS((void)decode_part(bytes.substr(0, size)), FormatError);
  CHECK_THROWS_AS((void)decode_part(bytes + "x"), FormatError);
  for (std::size_t size = 0; size < part.facts[0].size(); ++size)
    CHECK_THROWS_AS((void)assets::decode_facts(part.facts[0].substr(0, size), kinds), FormatError);
  std::string huge(8, '\xff');
  CHECK_THROWS_AS((void)decode_part(huge), FormatError);
  CHECK_THROWS_AS((void)assets::decode_facts(huge, kinds), FormatError);
  std::string wrong = bytes;
  wrong.replace(wrong.find("TIF-3"), 5, "TIF-X");
  CHECK_THROWS_AS((void)decode_part(wrong), FormatError);
}

}  // namespace tacore::validator
