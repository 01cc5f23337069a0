#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/wkb_centroid.hpp"
#include "support/support.hpp"
#include "tacore/error.hpp"
#include "tacore/extensions/majortom.hpp"
#include "tacore/extensions/spatial_grouping.hpp"
#include "tacore/write/sample.hpp"

namespace {

using namespace tacore;
using namespace tacore::extensions;

/// Samples of ten bytes at longitude and latitude, or nowhere.
Tortilla samples_at(const std::vector<std::optional<std::pair<double, double>>>& places,
                    const std::string& column = "stac:centroid") {
  std::vector<Sample> out;
  for (const auto& place : places) {
    Value centroid;
    if (place) centroid = Binary{wkb_point(place->first, place->second)};
    out.emplace_back("s" + std::to_string(out.size()), Bytes(10),
                     std::vector<MetadataField>{{column, centroid, "binary"}});
  }
  return Tortilla(std::move(out));
}

std::string extend_error(const Tortilla& tortilla, const TortillaExtension& extension) {
  return text_of<SchemaError>([&] { tortilla.extend_with(extension); });
}

TEST_CASE("MajorTOM gives a code for samples with a centroid, and null for others") {
  const Tortilla coded = samples_at({{{0, 0}}, std::nullopt, {{2.3522, 48.8566}}}).extend_with(MajorTOM());
  CHECK(coded.column("majortom:code") == std::vector<Value>{"0100km_0001D_0001L", {}, "0100km_0054U_0001R"});
}

TEST_CASE("MajorTOM uses the ISTAC centroid of an irregular sample") {
  CHECK(samples_at({{{0, 0}}}, "istac:centroid").extend_with(MajorTOM()).column("majortom:code")[0] ==
        Value("0100km_0001D_0001L"));
}

TEST_CASE("a dataset without a centroid column is refused with the columns that it has") {
  for (const auto& text : {extend_error(samples_at({{{0, 0}}}, "other"), MajorTOM()),
                           extend_error(samples_at({{{0, 0}}}, "other"), SpatialGrouping({.target_count = 2}))}) {
    CHECK(has_text(text, "Column 'stac:centroid' not found in tortilla metadata"));
    CHECK(has_text(text, "Available columns: [other]"));
  }
}

TEST_CASE("invalid geometry bytes are refused with the number of their sample") {
  const Tortilla bad({Sample("a", Bytes(1), {{"stac:centroid", Binary{"\1\2"}}})});
  CHECK(has_text(extend_error(bad, MajorTOM()), "stac:centroid of sample 0"));
}

TEST_CASE("SpatialGrouping forms groups by count and by size") {
  const Tortilla places = samples_at({{{0, 0}}, {{100, 0}}, {{1, 1}}, {{101, 1}}, {{-100, -50}}});
  CHECK(places.extend_with(SpatialGrouping({.target_count = 2})).column("spatialgroup:code") ==
        std::vector<Value>{"sg0000", "sg0001", "sg0001", "sg0002", "sg0000"});
  CHECK(places.extend_with(SpatialGrouping({.target_size = "25B"})).column("spatialgroup:code") ==
        std::vector<Value>{"sg0000", "sg0001", "sg0001", "sg0002", "sg0000"});
}

}  // namespace
