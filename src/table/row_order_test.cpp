#include "table/row_order.hpp"

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/wkb_centroid.hpp"
#include "tacore/error.hpp"
#include "tacore/plumbing/places.hpp"

namespace tacore {
namespace {

TEST_CASE("positions of geometries are those of the centres of their boxes on a Hilbert curve") {
  const std::string corner = wkb_point(-180, -90), north = wkb_point(-180, 90), middle = wkb_point(0, 0);
  const Centroid square[] = {{89, 44}, {91, 44}, {91, 46}, {89, 46}};
  const std::string around = wkb_polygon(square);
  const std::vector<std::optional<std::string_view>> geometries{corner, north, middle, around, std::nullopt};
  // Computed by the textbook's algorithm for a curve of 2^31 by 2^31 cells (tests/python/test_sorted_parts.py).
  CHECK(hilbert_positions(geometries) ==
        std::vector<uint64_t>{0, 1537228672809129301, 2305843009213693952, 2882303761517117440, kNoPlace});
  CHECK(hilbert_positions({}).empty());
}

TEST_CASE("what is no geometry is told with its position") {
  const std::string point = wkb_point(1, 2);
  const std::string_view cut = std::string_view(point).substr(0, 7);
  const std::vector<std::optional<std::string_view>> geometries{point, std::nullopt, cut};
  CHECK_THROWS_WITH_AS((void)hilbert_positions(geometries), doctest::Contains("geometry 2: WKB is truncated"),
                       FormatError);
}

}  // namespace
}  // namespace tacore
