#include "model/wkt.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <string>
#include <vector>

#include "base/little_endian.hpp"

using namespace tacore;

namespace {

/// Little-endian WKB, written number by number.
class Written {
 public:
  Written& type(uint32_t code) {
    out_.u8(1);
    out_.u32(code);
    return *this;
  }
  Written& count(uint32_t number) {
    out_.u32(number);
    return *this;
  }
  Written& at(double x, double y) {
    for (const double value : {x, y}) out_.u64(std::bit_cast<uint64_t>(value));
    return *this;
  }
  std::optional<std::string> text() { return wkt_of(out_.take()); }

 private:
  FieldWriter out_;
};

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();

}  // namespace

TEST_CASE("geometries are the text that others read") {
  CHECK(Written().type(1).at(-34.85, -8.01).text() == "POINT (-34.85 -8.01)");
  CHECK(Written().type(1).at(0.1, 1e300).text() == "POINT (0.1 1e+300)");
  CHECK(Written().type(1).at(kNothing, kNothing).text() == "POINT EMPTY");
  CHECK(Written().type(2).count(2).at(0, 1).at(2, 3).text() == "LINESTRING (0 1, 2 3)");
  CHECK(Written().type(2).count(0).text() == "LINESTRING EMPTY");
  CHECK(Written().type(3).count(2).count(2).at(0, 0).at(1, 1).count(1).at(2, 2).text() ==
        "POLYGON ((0 0, 1 1), (2 2))");
  CHECK(Written().type(3).count(0).text() == "POLYGON EMPTY");
  CHECK(Written().type(4).count(2).type(1).at(1, 2).type(1).at(kNothing, kNothing).text() ==
        "MULTIPOINT ((1 2), EMPTY)");
  CHECK(Written().type(5).count(1).type(2).count(1).at(1, 2).text() == "MULTILINESTRING ((1 2))");
  CHECK(Written().type(6).count(2).type(3).count(1).count(1).at(1, 2).type(3).count(0).text() ==
        "MULTIPOLYGON (((1 2)), EMPTY)");
  CHECK(Written().type(7).count(2).type(1).at(1, 2).type(4).count(1).type(1).at(3, 4).text() ==
        "GEOMETRYCOLLECTION (POINT (1 2), MULTIPOINT ((3 4)))");
  CHECK(Written().type(7).count(0).text() == "GEOMETRYCOLLECTION EMPTY");
}

TEST_CASE("bytes that the text would not hold have none") {
  CHECK_FALSE(Written().type(1001).at(1, 2).at(3, 4).text());           // Z
  CHECK_FALSE(Written().type(0x20000001).count(4326).at(1, 2).text());  // SRID
  CHECK_FALSE(Written().type(1).count(7).text());                       // truncated
  CHECK_FALSE(Written().type(9).text());
  CHECK_FALSE(wkt_of({}));
}

TEST_CASE("big-endian points are read as well") {
  std::vector<std::byte> point{std::byte{0}, std::byte{0}, std::byte{0}, std::byte{0}, std::byte{1}};
  for (const int byte : {0x40, 0x24, 0, 0, 0, 0, 0, 0, 0x40, 0x14, 0, 0, 0, 0, 0, 0}) point.push_back(std::byte(byte));
  CHECK(wkt_of(point) == "POINT (10 5)");
}

TEST_CASE("columns of geometries have the names of the specification") {
  for (const char* name : {"istac:geometry", "stac:centroid", "istac:centroid", "l0:stac:centroid"})
    CHECK(is_geometry_column(name));
  for (const char* name : {"geometry", "stac:centroid_2", "stac:crs", "", "l0:"}) CHECK_FALSE(is_geometry_column(name));
}
