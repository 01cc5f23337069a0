#include "model/known_crs.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "tacore/error.hpp"

using namespace tacore;

namespace {

/// Longitudes and latitudes by pyproj 3.7 (PROJ 9.5), always_xy.
struct Case {
  const char* crs;
  double x, y, lon, lat;
};

const Case kCases[] = {
    {"EPSG:32601", 167000.5, 12.25, -179.99121356654325, 0.00011067757450063752},
    {"EPSG:32630", 440720, 3751320, -3.641169915168651, 33.900601837269285},
    {"EPSG:32630", 833978.5, 9300000, 22.62572292193955, 83.07258237261111},
    {"EPSG:32631", 500000, 0, 2.9999999999999916, 0.0},
    {"EPSG:32660", 833000, 9328093.75, -156.5154416653987, 83.30249663612058},
    {"EPSG:32701", 166021.5, 9999990, -179.99999948918864, -9.034831049786563e-05},
    {"EPSG:32725", 288776.3, 9120760.8, -34.91616507973639, -7.949821656918707},
    {"EPSG:32760", 833978, 1116915, -166.23649313730246, -79.57961663704717},
    {"EPSG:25828", 250000, 4100000, -17.809907847952896, 37.01294054855615},
    {"EPSG:25832", 691875.6, 5335944.1, 11.579684493232032, 48.14778033603392},
    {"EPSG:25838", 720000, 7800000, 50.83029533138262, 70.21147386431343},
    {"EPSG:26906", 400000, 7100000, -149.04565458125822, 64.01239249972136},
    {"EPSG:26918", 583959.4, 4507351, -74.00599967214634, 40.712800014036375},
    {"EPSG:26923", 650000, 5300000, -42.995465943115626, 47.83583924340195},
    {"EPSG:31965", 300000, 3600000, -119.12928445063886, 32.51932766595792},
    {"EPSG:31972", 700000, 1200000, -73.17044276734327, 10.850043610188212},
    {"EPSG:31976", 444000, 250000, -51.503641081640666, 2.261728751109431},
    {"EPSG:31977", 200000, 9900000, -83.69535650523204, -0.9037231209566459},
    {"EPSG:31983", 333287.9, 7394588.3, -46.633300149983604, -23.55050016672193},
    {"EPSG:31985", 288776.25, 9120760.75, -34.91616553524824, -7.949822107110884},
    {"EPSG:6210", 500100, 60000, -44.99910128518076, 0.5428386586149264},
    {"EPSG:6211", 400000, 100, -39.89863766031992, 0.0009046193428082111},
    {"EPSG:5396", 340000, 9600000, -28.440579848618487, -3.6177287714101283},
    {"EPSG:32633", -2000000, 9500000, -64.02035530645468, 67.71773572076431},
    {"EPSG:3857", -8236969.1, 4970241.3, -73.99395237350218, 40.7139556409768},
    {"EPSG:3857", 20000000, -19971868.88, 179.6630568239043, -84.99999999968011},
};

/// A transformer that must not be called for built-in systems.
class Refusing : public CrsTransformer {
 public:
  bool is_geographic(const std::string&) const override { throw SchemaError("asked"); }
  LonLat to_wgs84(const std::string&, double, double) const override { throw SchemaError("asked"); }
};

}  // namespace

TEST_CASE("built-in systems agree with PROJ, without a transformer and with one") {
  const Refusing refusing;
  for (const Case& c : kCases) {
    CAPTURE(c.crs);
    for (const CrsTransformer* transformer : {&refusing, static_cast<const Refusing*>(nullptr)}) {
      const LonLat at = to_wgs84(c.crs, c.x, c.y, transformer);
      CHECK(std::abs(std::remainder(at.lon - c.lon, 360)) < 1e-9);
      CHECK(std::abs(at.lat - c.lat) < 1e-9);
      CHECK_FALSE(is_geographic(c.crs, transformer));
    }
  }
}

TEST_CASE("coordinates in degrees are returned unchanged") {
  for (const char* crs : {"EPSG:4326", "epsg:4326", "OGC:CRS84"}) {
    CHECK(is_geographic(crs, nullptr));
    CHECK(to_wgs84(crs, 200.5, 48.75, nullptr).lon == 200.5);
    CHECK(to_wgs84(crs, 200.5, 48.75, nullptr).lat == 48.75);
  }
}

TEST_CASE("the east and west edges of Web Mercator are 180 and -180 degrees") {
  CHECK(to_wgs84("EPSG:3857", 20037508.342789244, 0, nullptr).lon == 180);
  CHECK(to_wgs84("EPSG:3857", -20037508.342789244, 0, nullptr).lon == -180);
}

TEST_CASE("other systems need a transformer, and are refused without one") {
  // Zones that do not exist, and those of NAD83 that PROJ shifts.
  for (const char* crs : {"EPSG:32600", "EPSG:32661", "EPSG:32700", "EPSG:32761", "EPSG:26905", "EPSG:26924",
                          "EPSG:3035", "EPSG:", "EPSG:32630x", "SR-ORG:32630", "WGS84"}) {
    CAPTURE(crs);
    CHECK_THROWS_WITH_AS(is_geographic(crs, nullptr), doctest::Contains("without a CrsTransformer"), SchemaError);
    CHECK_THROWS_WITH_AS(to_wgs84(crs, 0, 0, nullptr), doctest::Contains("without a CrsTransformer"), SchemaError);
    const Refusing refusing;
    CHECK_THROWS_WITH_AS(is_geographic(crs, &refusing), "asked", SchemaError);
    CHECK_THROWS_WITH_AS(to_wgs84(crs, 0, 0, &refusing), "asked", SchemaError);
  }
  CHECK_THROWS_WITH_AS(is_geographic("", nullptr), doctest::Contains("it is empty"), SchemaError);
}

TEST_CASE("points outside the range of a projection are refused") {
  for (const double far : {1e300, 2e7, HUGE_VAL, std::nan("")}) {
    CAPTURE(far);
    CHECK_THROWS_WITH_AS(to_wgs84("EPSG:32630", far, 0, nullptr), doctest::Contains("no longitude and latitude"),
                         SchemaError);
  }
  CHECK_THROWS_AS(to_wgs84("EPSG:32630", 5e5, 1e300, nullptr), SchemaError);
  CHECK_THROWS_AS(to_wgs84("EPSG:3857", std::nan(""), 0, nullptr), SchemaError);
  CHECK_THROWS_AS(to_wgs84("EPSG:4326", 0, HUGE_VAL, nullptr), SchemaError);
}
