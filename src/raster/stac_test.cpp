#include "tacore/raster/stac.hpp"

#include <doctest/doctest.h>

#include <cstring>

#include "model/wkb_centroid.hpp"
#include "tacore/error.hpp"

using namespace tacore;

namespace {

/// A raster with a georeference and without pixels.
class Placed final : public Raster {
 public:
  explicit Placed(Georeference place, int64_t width = 20, int64_t height = 10) : place_(std::move(place)) {
    info_.width = width;
    info_.height = height;
    info_.bands = 3;
  }
  const std::string& name() const noexcept override { return name_; }
  const RasterInfo& info() const noexcept override { return info_; }
  Georeference georeference() const override { return place_; }
  void read(std::span<const int>, const Window&, std::span<std::byte>) const override {}

 private:
  std::string name_ = "made.tif";
  RasterInfo info_;
  Georeference place_;
};

/// Opens rasters that have a CRS.
class Opener final : public RasterOpener {
 public:
  std::shared_ptr<const Raster> open(const std::string& path) const override {
    CHECK(path == "made.tif");
    return std::make_shared<Placed>(Georeference{.crs = "OGC:CRS84"});
  }
};

LonLat point_of(const Binary& wkb) {
  const auto at = point_of_wkb(std::as_bytes(std::span(wkb.bytes)));
  return {at->x, at->y};
}

const Georeference kDegrees{.crs = "EPSG:4326", .geotransform = {{10, .1, 0, 50, 0, -.1}}};

}  // namespace

TEST_CASE("STAC fields of a raster are its CRS, shape, geotransform and centre") {
  auto options = extensions::to_stac(Placed(kDegrees));
  options.time_start = Timestamp{5};
  CHECK(options.crs == "EPSG:4326");
  CHECK(options.tensor_shape == std::vector<int64_t>{3, 10, 20});
  CHECK(options.geotransform == *kDegrees.geotransform);
  const extensions::STAC stac(options);
  const LonLat centre = point_of(*stac.values()[4].get<Binary>());
  CHECK(centre.lon == doctest::Approx(11));
  CHECK(centre.lat == doctest::Approx(49.5));
}

TEST_CASE("ISTAC fields of a raster are its footprint and centre in degrees, over the antimeridian as well") {
  Georeference place = kDegrees;
  place.geotransform = {{179.5, .1, 0, 50, 0, -.1}};
  const auto options = extensions::to_istac(Placed(place));
  CHECK(options.crs == "EPSG:4326");
  CHECK(options.geometry.bytes[1] == 6);
  CHECK(point_of(*options.centroid).lon == doctest::Approx(-179.5));
  const extensions::ISTAC istac(options);
  CHECK(extensions::to_istac(Placed(kDegrees)).geometry.bytes[1] == 3);
  CHECK(point_of(*extensions::to_istac(Placed(kDegrees)).centroid).lon == doctest::Approx(11));
}

TEST_CASE("a CRS without EPSG code is read through the fallback raster opener") {
  Georeference place = kDegrees;
  place.crs = "";
  const Opener opener;
  CHECK(extensions::to_stac(Placed(place), {.fallback = &opener}).crs == "OGC:CRS84");
  CHECK_THROWS_WITH_AS(extensions::to_stac(Placed(place)), doctest::Contains("CRS with a code, and GDAL is needed"),
                       SchemaError);
}

TEST_CASE("a raster without georeference is refused") {
  CHECK_THROWS_WITH_AS(extensions::to_stac(Placed({.crs = "EPSG:4326"})),
                       doctest::Contains("made.tif: the raster has no geotransform (ground control points are none)"),
                       SchemaError);
  CHECK_THROWS_AS(extensions::to_istac(Placed({})), SchemaError);
}
