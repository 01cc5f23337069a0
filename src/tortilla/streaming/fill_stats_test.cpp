#include "tortilla/streaming/fill_stats.hpp"

#include <doctest/doctest.h>

#include "support/plain_tiff.hpp"
#include "tacore/error.hpp"

namespace tacore::v1 {
namespace {

Sample tiff(const std::string& id, std::vector<MetadataField> metadata = {}) {
  return {id, plain_tiff<uint8_t>(5, 1, {1, 2, 3, 4, 10}), std::move(metadata)};
}

std::vector<Value> column(const Tortilla& samples, const char* key, int level = 0) {
  return fill_stats(samples, nullptr, 2, [] {}).column(key, level);
}

const Value kMean = Value::List{4.0};

TEST_CASE("GeoTIFFs of each level get statistics, others null") {
  const Tortilla children({tiff("x"), Sample("notes", Bytes(3))});
  const Tortilla samples = fill_stats(Tortilla({Sample("a", children)}), nullptr, 1, [] {});
  CHECK(samples.fields(0).empty());
  REQUIRE(samples.fields(1).size() == 4);
  CHECK(samples.fields(1)[0].type == "list<item: double>");
  CHECK(samples.column("stats:mean", 1) == std::vector<Value>{kMean, {}});
  CHECK(samples.column("stats:max", 1)[0] == Value(Value::List{10.0}));
}

TEST_CASE("existing statistics are kept, and missing ones of the sample are filled in") {
  const Value mine = Value::List{7.0};
  const Tortilla samples({tiff("a", {{"stats:mean", mine}}), tiff("b", {{"stats:mean", {}}})});
  CHECK(column(samples, "stats:mean") == std::vector<Value>{mine, kMean});
  CHECK(column(samples, "stats:min") == std::vector<Value>(2, Value::List{1.0}));
}

TEST_CASE("filling statistics can be cancelled between two samples") {
  CHECK_THROWS_AS(fill_stats(Tortilla({tiff("a")}), nullptr, 1, [] { throw IoError("stopped"); }), IoError);
}

TEST_CASE("samples of another file format are not decoded") {
  auto cut = plain_tiff<uint8_t>(5, 1, std::vector<uint8_t>(5));
  cut.resize(cut.size() - 30);
  const Tortilla samples({Sample("a", cut, {{"tortilla:file_format", "BYTES"}})});
  CHECK(fill_stats(samples, nullptr, 1, [] {}).fields(0).size() == 1);
  CHECK_THROWS_AS(fill_stats(Tortilla({Sample("a", cut)}), nullptr, 1, [] {}), FormatError);
}

}  // namespace
}  // namespace tacore::v1
