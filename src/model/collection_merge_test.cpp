#include "model/collection_merge.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "support/support.hpp"
#include "tacore/error.hpp"

namespace {

using namespace tacore;

Collection merge_collections(const std::vector<PartCollection>& parts) {
  CollectionMerge all(true);
  for (const auto& part : parts) all.add(part);
  return all.result();
}
constexpr SampleType kFile = SampleType::File, kFolder = SampleType::Folder;

PartCollection part(const std::string& file) {
  PartCollection out{.file = file, .collection = {.id = "chips"}};
  out.collection.pit_schema = {
      .root_n = 2, .root_type = kFolder, .hierarchy = {{1, {{4, {kFile, kFile}, {"a", "b"}}}}}};
  out.collection.field_schema = {{"level0", {{"id", "string", "words"}, {"cloud", "double", ""}}}};
  return out;
}

std::string merge_error(const PartCollection& other) {
  return text_of<SchemaError>([&] { merge_collections({part("1.tacozip"), other}); });
}

TEST_CASE("merged collections add up counts, and list each part as a source in the given order") {
  auto second = part("2.tacozip");
  second.collection.id = "other";
  second.collection.pit_schema.root_n = 5;
  second.collection.pit_schema.hierarchy[1][0].n = 10;
  const Collection out = merge_collections({part("1.tacozip"), second});
  CHECK(out.id == "chips");
  CHECK(out.pit_schema.root_n == 7);
  CHECK(out.pit_schema.hierarchy.at(1)[0].n == 14);
  REQUIRE(out.sources.size() == 2);
  CHECK(out.sources[1].file == "2.tacozip");
  CHECK(out.sources[1].id == "other");
  CHECK_FALSE(out.extent.spatial);
  CHECK_FALSE(out.extent.temporal);
}

TEST_CASE("another tree or other fields are refused, with the file and what differs") {
  const struct {
    void (*change)(Collection&);
    const char* words;
  } cases[] = {
      {[](Collection& c) { c.pit_schema.root_type = kFile; }, "its roots are FILEs, expected FOLDERs"},
      {[](Collection& c) { c.pit_schema.hierarchy.clear(); }, "its tree is 0 levels deep, expected 1"},
      {[](Collection& c) { c.pit_schema.hierarchy[1].push_back({}); }, "level 1 has 2 patterns, expected 1"},
      {[](Collection& c) { c.pit_schema.hierarchy[1][0] = {1, {kFile}, {"a"}}; },
       "pattern 0 of level 1 has 1 children, expected 2"},
      {[](Collection& c) { c.pit_schema.hierarchy[1][0].id[1] = "c"; },
       "pattern 0 of level 1 has FILE 'c' as child 1, expected FILE 'b'"},
      {[](Collection& c) { c.pit_schema.hierarchy[1][0].type[0] = kFolder; },
       "has FOLDER 'a' as child 0, expected FILE 'a'"},
      {[](Collection& c) { c.field_schema["level0"][1].type = "int64"; },
       "level0 has an additional column 'cloud' (int64); level0 lacks column 'cloud' (double)"},
      {[](Collection& c) {
         c.field_schema["level1"];
         c.field_schema["level1"].push_back({"x", "string", ""});
       },
       "level1 has an additional column 'x' (string)"},
  };
  for (const auto& c : cases) {
    CAPTURE(std::string(c.words));
    auto other = part("2.tacozip");
    c.change(other.collection);
    const std::string text = merge_error(other);
    CAPTURE(text);
    CHECK(has_text(text, c.words));
    CHECK(text.starts_with("2.tacozip: cannot be joined with '1.tacozip': "));
  }
}

TEST_CASE(
    "merged parts may differ in descriptions and field order, and padding positions are taken from a part without "
    "padding there") {
  auto other = part("2.tacozip");
  other.collection.field_schema = {{"level0", {{"cloud", "double", "other words"}, {"id", "string", ""}}}};
  CHECK(merge_error(other) == "");
  auto padded = part("1.tacozip");
  padded.collection.pit_schema.hierarchy[1][0].id[0] = "__TACOPAD__0";
  CHECK(merge_collections({padded, other}).pit_schema.hierarchy.at(1)[0].id == std::vector<std::string>{"a", "b"});
  CHECK(merge_collections({other, padded}).pit_schema.hierarchy.at(1)[0].id == std::vector<std::string>{"a", "b"});
}

TEST_CASE("the merged time range is from the first start to the last end of the stated ones") {
  auto a = part("a"), b = part("b"), c = part("c");
  a.collection.extent.temporal = TimeRange{{10}, {20}};
  c.collection.extent.temporal = TimeRange{{-5}, {12}};
  CHECK(merge_collections({a, b, c}).extent.temporal == TimeRange{{-5}, {20}});
}

TEST_CASE("merged boxes take the shorter way around the globe, and keep their digits") {
  const auto joined = [](const std::vector<BBox>& boxes) {
    const BBox out = merge_boxes(boxes);
    return std::pair(out.minx, out.maxx);
  };
  using Sides = std::pair<double, double>;
  CHECK(joined({{-77.1, 0, 23.4, 1}}) == Sides{-77.1, 23.4});
  CHECK(joined({{-9.3, 0, -9.1, 1}, {23.7, 0, 24.1, 1}}) == Sides{-9.3, 24.1});
  CHECK(joined({{170.1, 0, 179.9, 1}, {-179.9, 0, -170.3, 1}}) == Sides{170.1, -170.3});
  CHECK(joined({{170, 0, -160, 1}, {-150, 0, -140, 1}, {-175, 0, -170, 1}}) == Sides{170, -140});
  CHECK(joined({{170, 0, -170, 1}, {0, 0, 10, 1}}) == Sides{0, -170});
  CHECK(joined({{-180, 0, 180, 1}, {0, 0, 10, 1}}) == Sides{-180, 180});
  CHECK(joined({{-180, 0, 0, 1}, {0, 0, 180, 1}}) == Sides{-180, 180});
  CHECK(joined({{-90, 0, -90, 1}, {90, 0, 90, 1}}) == Sides{-90, 90});
  for (const auto& [west, east] :
       {joined({{180, 0, 180, 1}, {-180, 0, -180, 1}}), joined({{-180, 0, -180, 1}, {180, 0, 180, 1}})}) {
    CHECK(east - west + (west > east ? 360 : 0) == 0);
  }
  CHECK(merge_boxes({{0, -5, 1, 2}, {0, -3, 1, 7}}).miny == -5);
  CHECK(merge_boxes({{0, -5, 1, 2}, {0, -3, 1, 7}}).maxy == 7);
}

TEST_CASE("contains() compares longitudes on the circle") {
  CHECK(contains(BBox{0, 0, 10, 10}, {1, 1, 9, 10}));
  CHECK(contains(BBox{0, 0, 10, 10}, {0, 0, 10.0000001, 10}));
  CHECK_FALSE(contains(BBox{0, 0, 10, 10}, {1, 1, 11, 2}));
  CHECK_FALSE(contains(BBox{0, 0, 10, 10}, {-1, 1, 2, 2}));
  CHECK_FALSE(contains(BBox{0, 0, 10, 10}, {1, -1, 2, 2}));
  CHECK(contains(BBox{170, 0, -170, 1}, {175, 0, -175, 1}));
  CHECK(contains(BBox{170, 0, -170, 1}, {-179, 0, -175, 1}));
  CHECK(contains(BBox{170, 0, -170, 1}, {180, 0, 180, 1}));
  CHECK_FALSE(contains(BBox{170, 0, -170, 1}, {-175, 0, 175, 1}));
  CHECK(contains(BBox{}, {170, -90, -170, 90}));
  CHECK(contains(BBox{-180, 0, 180, 1}, {-180, 0, 180, 1}));
  CHECK_FALSE(contains(BBox{-179, 0, 179, 1}, {-180, 0, 180, 1}));
}

TEST_CASE("a merged box intersects whatever its parts intersect, and is no wider than the box without crossing") {
  std::mt19937 random(1);
  const auto degrees = [&] { return static_cast<double>(random() % 361) - 180; };
  for (int i = 0; i < 2000; ++i) {
    std::vector<BBox> boxes;
    double minx = 180, maxx = -180;
    for (unsigned n = 1 + random() % 4; n > 0; --n) {
      boxes.push_back({degrees(), 0, degrees(), 1});
      if (boxes.back().minx > boxes.back().maxx) minx = -180, maxx = 180;
      minx = std::min(minx, boxes.back().minx);
      maxx = std::max(maxx, boxes.back().maxx);
    }
    const BBox out = merge_boxes(boxes);
    CAPTURE(i);
    const double width = out.maxx - out.minx + (out.minx > out.maxx ? 360 : 0);
    CHECK(width <= maxx - minx);
    for (double lon = -180; lon <= 180; lon += 0.5) {
      const BBox probe{lon, 0, lon, 1};
      const bool met = std::any_of(boxes.begin(), boxes.end(), [&](const BBox& box) { return box.intersects(probe); });
      if (met && !out.intersects(probe)) FAIL_CHECK("longitude ", lon, " is lost");
    }
  }
}

TEST_CASE("without validation the merged fields are the union, new ones before internal columns") {
  auto first = part("1.tacozip"), second = part("2.tacozip");
  first.collection.field_schema["level0"].push_back({"internal:size", "int64", ""});
  second.collection.field_schema["level0"] = {{"snow", "double", "more"}, {"cloud", "int64", "other words"}};
  second.collection.field_schema["level1"] = {{"band", "string", ""}};
  CollectionMerge merge(false);
  merge.add(first);
  merge.add(second);
  const auto fields = merge.result().field_schema;
  std::string names;
  for (const auto& field : fields.at("level0")) names += field.name + ":" + field.type + " ";
  CHECK(names == "id:string cloud:double snow:double internal:size:int64 ");
  CHECK(fields.at("level0")[2].description == "more");
  CHECK(fields.at("level1").size() == 1);
}

TEST_CASE("counts whose sum overflows are refused") {
  auto second = part("2.tacozip");
  second.collection.pit_schema.root_n = ~uint64_t{0};
  CHECK_THROWS_WITH_AS(merge_collections({part("1.tacozip"), second}), "number of samples overflows", FormatError);
}

}  // namespace
