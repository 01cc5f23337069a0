#include <doctest/doctest.h>

#include <functional>

#include "model/wkb_centroid.hpp"
#include "support/support.hpp"
#include "tacore/error.hpp"
#include "tacore/extensions/stac.hpp"
#include "tacore/write/sample.hpp"

namespace {

using namespace tacore;
using namespace tacore::extensions;

const Value kShape = Value::List{3, 100, 200};
const Value kToCrs = Value::List{10.0, 0.01, 0, 50.0, 0, -0.01};

Sample scene(const std::string& id, Value crs, Value start, Value end = {}) {
  return {id,
          Bytes(1),
          {{"k", 1},
           {"stac:crs", std::move(crs)},
           {"stac:tensor_shape", kShape},
           {"stac:geotransform", kToCrs},
           {"stac:time_start", std::move(start)},
           {"stac:time_end", std::move(end)}}};
}

TEST_CASE("samples that state grid and time get all STAC columns, in their order and types") {
  const Timestamp start{1000}, end{2001};
  const Tortilla done = with_stac(Tortilla({scene("a", "EPSG:4326", start, end), scene("b", {}, start)}, false));
  Strings names;
  for (const auto& field : done.fields()) names.push_back(field.name + " " + field.type);
  CHECK(names == Strings{"k int64", "stac:crs string", "stac:tensor_shape list<item: int64>",
                         "stac:geotransform list<item: double>", "stac:time_start timestamp[us]",
                         "stac:centroid binary", "stac:time_end timestamp[us]", "stac:time_middle timestamp[us]"});
  CHECK(done.column("stac:centroid") == std::vector<Value>{Binary{wkb_point(11, 49.5)}, {}});
  CHECK(done.column("stac:time_middle") == std::vector<Value>{Timestamp{1500}, {}});
  CHECK(done.column("stac:time_start") == std::vector<Value>{start, {}});
}

TEST_CASE("times may be text, and existing computed columns are kept") {
  const Binary given{wkb_point(1, 2)};
  Sample sample = scene("a", "EPSG:4326", "2024-01-31T00:00:00Z");
  sample.extend_with({{"stac:centroid", given}});
  const Tortilla done = with_stac(Tortilla({sample}));
  CHECK(done.column("stac:time_start")[0] == Value(Timestamp::parse("2024-01-31")));
  CHECK(done.column("stac:centroid")[0] == Value(given));
}

TEST_CASE("STAC columns are completed at the level that has the inputs") {
  const Tortilla below({scene("x", "EPSG:4326", Timestamp{})});
  const Tortilla done = with_stac(Tortilla({Sample("t", below), Sample("u", below)}));
  CHECK(done.fields(0).empty());
  CHECK(done.column("stac:centroid", 1).size() == 2);
}

TEST_CASE("a sample whose STAC columns cannot be completed is an error that names it") {
  CHECK(has_text(text_of<SchemaError>([] { with_stac(Tortilla({Sample("a", Bytes(1))})); }),
                 "no level has the columns stac:crs, stac:tensor_shape, stac:geotransform, stac:time_start"));
  CHECK(has_text(text_of<SchemaError>([] { with_stac(Tortilla({scene("a", "EPSG:3035", Timestamp{})})); }),
                 "[a] Invalid CRS"));
  CHECK(has_text(text_of<SchemaError>([] { with_stac(Tortilla({scene("a", "EPSG:4326", "soon")})); }),
                 "[a] stac:time_start"));
  CHECK(has_text(text_of<SchemaError>([] { with_stac(Tortilla({scene("a", 4326, Timestamp{})})); }),
                 "[a] stac:crs is not text"));
  Sample sample = scene("a", "EPSG:4326", Timestamp{});
  sample.extend_with({{"stac:geotransform", Value::List{1, 2}}});
  CHECK(has_text(text_of<SchemaError>([&] { with_stac(Tortilla({sample})); }),
                 "[a] stac:geotransform is not six numbers"));
}

TEST_CASE("a footprint column gets its centroid") {
  const Tortilla points({Sample(
      "a", Bytes(1),
      {{"istac:crs", "EPSG:4326"}, {"istac:geometry", Binary{wkb_point(3, 4)}}, {"istac:time_start", "2024-01-31"}})});
  const Tortilla done = with_istac(points);
  CHECK(done.column("istac:centroid") == std::vector<Value>{Binary{wkb_point(3, 4)}});
  CHECK(done.fields().size() == 6);
  CHECK(has_text(text_of<SchemaError>([&] { with_stac(points); }), "no level has the columns stac:crs"));
}

}  // namespace
