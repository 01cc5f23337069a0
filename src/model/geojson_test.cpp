#include "model/geojson.hpp"

#include <doctest/doctest.h>

#include <cstddef>

#include "support/support.hpp"
#include "tacore/error.hpp"

namespace {

using namespace tacore;

std::vector<GeoFeature> features(const std::string& list) {
  std::vector<GeoFeature> out;
  read_geojson(R"({"type": "FeatureCollection", "features": [)" + list + "]}", "x.geojson",
               [&](GeoFeature feature) { out.push_back(std::move(feature)); });
  return out;
}

std::string hex(const std::vector<std::byte>& bytes) {
  std::string out;
  for (const std::byte b : bytes) {
    for (const int shift : {4, 0}) out += "0123456789abcdef"[std::to_integer<int>(b) >> shift & 15];
  }
  return out;
}

std::string feature_of(const std::string& geometry) {
  return R"({"type": "Feature", "properties": null, "geometry": )" + geometry + "}";
}
std::string wkb(const std::string& type, const std::string& coordinates) {
  return hex(
      features(feature_of(R"({"type": ")" + type + R"(", "coordinates": )" + coordinates + "}"))[0].geometry.value());
}

std::string geojson_error(const std::string& text) {
  return text_of<FormatError>([&] { read_geojson(text, "x.geojson", [](const GeoFeature&) {}); });
}
std::string feature_error(const std::string& feature) {
  return geojson_error(R"({"type": "FeatureCollection", "features": [)" + feature_of("null") + "," + feature + "]}");
}

// Little-endian: 1, 2, 0 and -1 as doubles.
const std::string k1 = "000000000000f03f", k2 = "0000000000000040", k0 = "0000000000000000", kM1 = "000000000000f0bf";

TEST_CASE("GeoJSON points are encoded as exact WKB") {
  CHECK(wkb("Point", "[10, 5]") == "010100000000000000000024400000000000001440");
  CHECK(wkb("Point", "[1, 2, -1]") == "01e9030000" + k1 + k2 + kM1);
  CHECK(wkb("Point", "[]") == "0101000000000000000000f87f000000000000f87f");
}

TEST_CASE("every GeoJSON geometry type is encoded as WKB") {
  const std::string ring = "[[0,0],[1,0],[1,1],[0,0]]", points = k0 + k0 + k1 + k0 + k1 + k1 + k0 + k0;
  CHECK(wkb("LineString", "[[1,2],[0,-1]]") == "010200000002000000" + k1 + k2 + k0 + kM1);
  CHECK(wkb("Polygon", "[" + ring + "," + ring + "]") ==
        "010300000002000000"
        "04000000" +
            points + "04000000" + points);
  CHECK(wkb("MultiPoint", "[[1,2],[0,-1]]") ==
        "010400000002000000"
        "0101000000" +
            k1 + k2 + "0101000000" + k0 + kM1);
  CHECK(wkb("MultiLineString", "[[[1,2],[0,-1]]]") ==
        "010500000001000000"
        "010200000002000000" +
            k1 + k2 + k0 + kM1);
  CHECK(wkb("MultiPolygon", "[[" + ring + "]]") ==
        "010600000001000000"
        "010300000001000000"
        "04000000" +
            points);
  CHECK(wkb("MultiPolygon", "[]") == "010600000000000000");
  const auto mixed = features(feature_of(R"({"type": "GeometryCollection", "geometries": [
    {"type": "Point", "coordinates": [1, 2]}, {"type": "LineString", "coordinates": [[1, 2], [0, -1]]}]})"));
  CHECK(hex(*mixed[0].geometry) ==
        "010700000002000000"
        "0101000000" +
            k1 + k2 + "010200000002000000" + k1 + k2 + k0 + kM1);
}

TEST_CASE("properties are returned as written, on one line, with the id of the feature") {
  const auto read =
      features(R"({"type": "Feature", "id": "a/b", "geometry": null, "properties": {"big": 12345678901234567890,
      "small": 1e-300, "id2": [1,
      2], "text": "x\ny, }"}},
    {"properties": {"id": "c"}, "id": "c", "type": "Feature"}, {"type": "Feature", "id": 17, "properties": {}},
    {"type": "Feature", "properties": {"id": "d"}, "geometry": null})");
  REQUIRE(read.size() == 4);
  CHECK(read[0].line == R"({"id":"a/b","big":12345678901234567890,"small":1e-300,"id2":[1,2],"text":"x\ny, }"})");
  CHECK(read[1].line == R"({"id":"c"})");
  CHECK(read[2].line == R"({"id":"17"})");
  CHECK(read[3].line == R"({"id":"d"})");
  CHECK_FALSE(read[0].geometry);
}

TEST_CASE("a document that is not a FeatureCollection is refused with the position of the fault") {
  CHECK(geojson_error("{\"type\": \"FeatureCollection\", \"features\": [}") == "x.geojson: not JSON (byte 43)");
  CHECK(has_text(geojson_error("{\"type\": \"FeatureCollection\", \"features\": ["), "not JSON"));
  CHECK(has_text(geojson_error(""), "not JSON"));
  CHECK(has_text(geojson_error(std::string("{}\0{}", 5)), "a NUL byte (byte 2)"));
  CHECK(has_text(geojson_error(std::string(100, '[')), "nested deeper than 64"));
  const auto nested = [](std::size_t depth) {  // of all levels: the document is one of them
    return "{\"type\":\"FeatureCollection\",\"features\":[],\"x\":" + std::string(depth - 1, '[') +
           std::string(depth - 1, ']') + "}";
  };
  CHECK(geojson_error(nested(64)) == "");
  CHECK(has_text(geojson_error(nested(65)), "nested deeper than 64"));
  for (const char* text : {"{}", "[]", "1", R"({"type": "Feature"})", R"({"type": 1})"}) {
    CAPTURE(std::string(text));
    CHECK(geojson_error(text) == "x.geojson: not a GeoJSON FeatureCollection");
  }
  CHECK(geojson_error(R"({"type": "FeatureCollection"})") == "x.geojson: no array 'features'");
  CHECK(geojson_error(R"({"type": "FeatureCollection", "features": {}})") == "x.geojson: no array 'features'");
  CHECK(
      geojson_error(
          R"({"type": "FeatureCollection", "features": [], "crs": {"type": "name", "properties": {"name": "EPSG:32619"}}})") ==
      "x.geojson: its crs is 'EPSG:32619'; WGS 84 longitude and latitude expected (RFC 7946)");
  CHECK(
      geojson_error(
          R"({"crs": {"type": "name", "properties": {"name": "urn:ogc:def:crs:OGC:1.3:CRS84"}}, "type": "FeatureCollection", "features": []})")
          .empty());
}

TEST_CASE("an invalid feature is refused with its number") {
  const struct {
    std::string feature;
    const char* words;
  } cases[] = {
      {"1", "feature 1: not a Feature"},
      {R"({"type": "Point"})", "feature 1: not a Feature"},
      {R"({"type": "Feature", "properties": []})", "feature 1: its properties are array, an object expected"},
      {R"({"type": "Feature", "id": true})", "feature 1: its id is boolean"},
      {R"({"type": "Feature", "id": "a", "properties": {"id": "b"}})",
       "feature 1: its id is 'a', its property 'id' is '\"b\"'"},
      {R"({"type": "Feature", "properties": {"istac:geometry": 1}})", "feature 1: it has a property 'istac:geometry'"},
      {feature_of("1"), "its geometry has no type"},
      {feature_of(R"({"type": "Circle"})"), "its geometry has no type"},
      {feature_of(R"({"type": "Point"})"), "its Point has no coordinates"},
      {feature_of(R"({"type": "GeometryCollection", "coordinates": []})"), "its GeometryCollection has no geometries"},
      {feature_of(R"({"type": "Point", "coordinates": [1]})"), "a position has 1 numbers; 2 expected"},
      {feature_of(R"({"type": "Point", "coordinates": [1, 2, 3, 4]})"), "a position has 4 numbers; 3 expected"},
      {feature_of(R"({"type": "LineString", "coordinates": [[1, 2], [1, 2, 3]]})"),
       "a position has 3 numbers; 2 expected"},
      {feature_of(R"({"type": "LineString", "coordinates": [[1, 2], []]})"), "a position is empty"},
      {feature_of(R"({"type": "LineString", "coordinates": [[1, 2]]})"), "a line has 1 position; at least 2 expected"},
      {feature_of(R"({"type": "LineString", "coordinates": [1, 2]})"), "have number; array expected"},
      {feature_of(R"({"type": "Point", "coordinates": ["1", 2]})"), "a value that is not a number"},
      {feature_of(R"({"type": "Point", "coordinates": [500000, 4100000]})"),
       "position [500000,4100000] is not a longitude"},
      {feature_of(R"({"type": "Polygon", "coordinates": [[[0, 0], [1, 0], [0, 0]]]})"), "a ring has 3 positions"},
      {feature_of(R"({"type": "Polygon", "coordinates": [[[0, 0], [1, 0], [1, 1], [0, 1]]]})"),
       "a ring does not end where it starts"},
      {feature_of(R"({"type": "MultiPoint", "coordinates": [7]})"), "have number; array expected"},
  };
  for (const auto& c : cases) {
    const std::string text = feature_error(c.feature);
    CAPTURE(text);
    CAPTURE(std::string(c.words));
    CHECK(has_text(text, c.words));
    CHECK(has_text(text, "feature 1: "));
  }
}

TEST_CASE("GeoJSON truncated or changed anywhere is parsed or refused") {
  const std::string good = R"({"type": "FeatureCollection", "features": [{"type": "Feature", "id": "a\"", "properties":
    {"x": [1, {"y": "]}"}]}, "geometry": {"type": "Polygon", "coordinates": [[[0,0],[1,0],[1,1],[0,0]]]}}]})";
  CHECK(geojson_error(good).empty());
  int num_refused = 0;
  for (std::size_t i = 0; i < good.size(); ++i) {
    num_refused += geojson_error(good.substr(0, i)).empty() ? 0 : 1;
    for (const char c : {'"', '[', ']', '{', '}', ',', ':', '\\', '\0', '\xff', '1'}) {
      std::string bad = good;
      bad[i] = c;
      geojson_error(bad);
    }
  }
  CHECK(num_refused == static_cast<int>(good.size()));
}

}  // namespace
