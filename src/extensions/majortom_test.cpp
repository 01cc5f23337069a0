#include "tacore/extensions/majortom.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <string>
#include <utility>

#include "tacore/error.hpp"

using namespace tacore;
using namespace tacore::extensions;

namespace {

std::string code_at(const MajorTomGrid& grid, double lat, double lon) {
  return grid.code(grid.latlon2rowcol(lat, lon));
}

/// Codes and anchors that numpy finds in tables of all anchors.
struct Case {
  double dist_km, lat, lon;
  const char* code;
  double anchor_lat, anchor_lon;
};

const Case kCases[] = {
    {100, 0, 0, "0100km_0001D_0001L", -0.8955223880597032, -0.897755610972581},
    {100, 1e-12, 1e-12, "0100km_0000U_0000R", 0, 0},
    {100, 45, 10, "0100km_0050U_0007R", 44.776119402985074, 8.84210526315789},
    {100, 40.7, -74, "0100km_0045U_0063L", 40.29850746268656, -74.11764705882354},
    {100, 48.8566, 2.3522, "0100km_0054U_0001R", 48.35820895522389, 1.3483146067415817},
    {100, -33.86, 151.2, "0100km_0038D_0139R", -34.029850746268664, 150.27027027027032},
    {100, 39.47, -0.376, "0100km_0044U_0001L", 39.40298507462688, -1.1612903225806122},
    {100, 0, 180, "0100km_0001D_0200R", -0.8955223880597015, 179.5511221945137},
    {100, 0, -180, "0100km_0001D_0200R", -0.8955223880597015, 179.5511221945137},
    {100, 0, 179.99, "0100km_0001D_0200R", -0.8955223880597015, 179.5511221945137},
    {50.5, -20.63017, -125.6943, "0050km_0046D_0260L", -20.856423173803535, -126.14555256064688},
    {50.5, 17.56989, -153.92294, "0050km_0038U_0325L", 17.229219143576827, -154.35356200527704},
    {50.5, 4.11531, -48.35199, "0050km_0009U_0107L", 4.080604534005033, -48.636363636363626},
    {50.5, -62.12897, 2.67686, "0050km_0138D_0002R", -62.56926952141059, 1.967213114754088},
    {50.5, -67.66966, -23.88755, "0050km_0150D_0020L", -68.01007556675063, -24.161073825503365},
    {50.5, -59.34906, -147.34332, "0050km_0131D_0166L", -59.39546599496222, -147.55555555555557},
    {100, 8.87074, -37.19503, "0100km_0009U_0042L", 8.059701492537314, -38.08564231738035},
    {100, 72.27151, -163.23023, "0100km_0080U_0058L", 71.64179104477614, -164.40944881889766},
    {100, 45.80216, -75.74066, "0100km_0051U_0060L", 45.67164179104478, -76.86832740213521},
    {100, -45.35626, -137.59479, "0100km_0051D_0108L", -45.67164179104478, -138.3629893238434},
    {100, -22.52189, 113.80549, "0100km_0026D_0116R", -23.283582089552226, 113.17073170731709},
    {100, -39.68358, 29.37606, "0100km_0045D_0024R", -40.29850746268656, 28.235294117647072},
    {250, 21.14933, -26.06677, "0250km_0009U_0011L", 20.0, -26.2251655629139},
    {250, -21.82085, 30.80227, "0250km_0010D_0012R", -22.22222222222223, 28.99328859060404},
    {250, -5.37254, -72.08388, "0250km_0003D_0033L", -6.666666666666657, -74.25},
    {250, 36.06899, 71.638, "0250km_0016U_0026R", 35.55555555555556, 71.45038167938932},
    {250, -30.78427, 26.79254, "0250km_0014D_0010R", -31.111111111111114, 26.086956521739125},
    {250, 2.88853, 135.0495, "0250km_0001U_0060R", 2.2222222222222285, 134.16149068322977},
    {1000, -44.10943, -3.97328, "1000km_0006D_0001L", -51.428571428571445, -14.399999999999977},
    {1000, -67.15898, 60.55771, "1000km_0008D_0002R", -68.57142857142857, 48.0},
    {1000, 31.94748, 26.28934, "1000km_0003U_0002R", 25.714285714285722, 19.459459459459453},
    {1000, 48.67322, -67.0509, "1000km_0005U_0006L", 42.85714285714286, -72.0},
    {1000, 22.99126, 33.97316, "1000km_0002U_0003R", 17.14285714285714, 27.69230769230768},
    {1000, 9.19473, -15.76608, "1000km_0001U_0002L", 8.57142857142857, -18.0},
};

}  // namespace

TEST_CASE("codes and anchors equal those of a table of all anchors") {
  for (const Case& c : kCases) {
    CAPTURE(c.code);
    const MajorTomGrid grid({.dist_km = c.dist_km});
    const MajorTomCell cell = grid.latlon2rowcol(c.lat, c.lon);
    CHECK(grid.code(cell) == c.code);
    CHECK(grid.rowcol2latlon(cell).lat == doctest::Approx(c.anchor_lat).epsilon(1e-12));
    CHECK(grid.rowcol2latlon(cell).lon == doctest::Approx(c.anchor_lon).epsilon(1e-12));
  }
}

TEST_CASE("codes of further locations equal those of the published grid") {
  const MajorTomGrid grid;
  CHECK(code_at(grid, 89, 10) == "0100km_0094U_0001R");
  CHECK(code_at(grid, -85, 0) == "0100km_0094D_0001L");
  CHECK(code_at(grid, 10, -179.99) == "0100km_0011U_0197R");
  const MajorTomGrid coarse({.dist_km = 1000});
  CHECK(code_at(coarse, 48.8566, 2.3522) == "1000km_0005U_0000R");
  CHECK(code_at(coarse, -33.86, 151.2) == "1000km_0004D_0014R");
  CHECK(code_at(coarse, 0, 0) == "1000km_0001D_0001L");
  const MajorTomGrid part({.dist_km = 1000, .min_longitude = 0, .max_longitude = 60});
  CHECK(code_at(part, 0, -50) == "1000km_0001D_0006R");
  CHECK(code_at(part, 0, 50) == "1000km_0001D_0005R");
  CHECK(code_at(MajorTomGrid({.dist_km = 12345.9}), 1e-9, 1e-9) == "12345km_0000U_0000R");
  CHECK(code_at(MajorTomGrid({.dist_km = 100, .sep = "-"}), 45, 10) == "0100km-0050U-0007R");
}

TEST_CASE("the grid has as many rows and columns as the published one") {
  struct Count {
    double dist_km;
    MajorTomRange rows;
    int64_t columns_at_equator;
  };
  for (const Count& c :
       {Count{50.5, {-187, 187}, 794}, {100, {-94, 94}, 401}, {250, {-38, 38}, 161}, {1000, {-9, 9}, 41}}) {
    CAPTURE(c.dist_km);
    const MajorTomGrid grid({.dist_km = c.dist_km});
    CHECK(grid.rows() == c.rows);
    const MajorTomRange columns = grid.columns(0);
    CHECK(columns.last - columns.first + 1 == c.columns_at_equator);
  }
}

TEST_CASE("longitudes are not wrapped, and NaN maps to the last row and column") {
  const MajorTomGrid grid;
  CHECK(code_at(grid, 0, 540) == "0100km_0001D_0200R");
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(grid.latlon2rowcol(nan, 0).row == 94);
  CHECK(grid.latlon2rowcol(0, nan).column == 200);
}

TEST_CASE("a row without an anchor within the longitudes has one column, at -180 degrees") {
  const MajorTomGrid grid({.dist_km = 1000, .min_longitude = 3, .max_longitude = 4});
  const MajorTomCell cell = grid.latlon2rowcol(0, 3.5);
  CHECK(grid.code(cell) == "1000km_0001D_0000R");
  CHECK(grid.rowcol2latlon(cell).lon == -180);
}

TEST_CASE("the finest grid is computed in closed form, and maps its anchors to their own cells") {
  const MajorTomGrid grid({.dist_km = 1});
  CHECK(grid.rows() == MajorTomRange{-9462, 9462});
  for (const auto& [lat, lon] : {std::pair{48.8566, 2.3522}, {-33.86, 151.2}, {0.001, -179.9}, {84.9, 12.0}}) {
    const MajorTomCell cell = grid.latlon2rowcol(lat, lon);
    const LonLat anchor = grid.rowcol2latlon(cell);
    CHECK(anchor.lat < lat);
    CHECK(lat - anchor.lat < 180. / 20037 + 1e-9);
    CHECK(anchor.lon < lon);
    CHECK(grid.latlon2rowcol(anchor.lat + 1e-9, anchor.lon + 1e-9) == cell);
  }
}

TEST_CASE("labels and signed numbers are converted back to the anchor") {
  const MajorTomGrid grid;
  for (const auto& [lat, lon] : {std::pair{40.7, -74.}, {-33.86, 151.2}, {1., 1.}}) {
    const MajorTomCell cell = grid.latlon2rowcol(lat, lon);
    const LonLat by_number = grid.rowcol2latlon(cell);
    const LonLat by_label = grid.rowcol2latlon(grid.row_label(cell), grid.column_label(cell));
    CHECK(by_number.lat == by_label.lat);
    CHECK(by_number.lon == by_label.lon);
  }
}

TEST_CASE("a label or number that is not in the grid is refused") {
  const MajorTomGrid grid;
  CHECK_THROWS_WITH_AS(grid.rowcol2latlon("0095U", "0000R"), doctest::Contains("Row 95 not found in grid"),
                       SchemaError);
  CHECK_THROWS_WITH_AS(grid.rowcol2latlon("0000U", "0201R"), doctest::Contains("Column 201 not found"), SchemaError);
  for (const char* label : {"", "U", "0001", "0001X", "1U", "-001U", "0000D", "00001U", "0001u"}) {
    CAPTURE(label);
    CHECK_THROWS_WITH_AS(grid.rowcol2latlon(label, "0000R"), doctest::Contains("not found in grid"), SchemaError);
  }
}

TEST_CASE("an invalid cell size and latitude limits without a row are refused") {
  for (const double dist :
       {0., -1., std::numeric_limits<double>::infinity(), 1e-300, std::numeric_limits<double>::quiet_NaN()}) {
    CAPTURE(dist);
    CHECK_THROWS_WITH_AS(MajorTomGrid({.dist_km = dist}), doctest::Contains("dist_km"), SchemaError);
  }
  CHECK_THROWS_WITH_AS(MajorTomGrid({.min_latitude = 50, .max_latitude = 40}), doctest::Contains("no row"),
                       SchemaError);
}
