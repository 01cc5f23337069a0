#include "coverage.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

using tacore::gdal::Coverage;

namespace {

struct Point {
  double x, y;
};

/// Clockwise as one sees it with y up: what is inside counts positive.
template <std::size_t N>
void add_ring(Coverage& coverage, const Point (&ring)[N], double sign) {
  for (std::size_t i = 0; i < N; ++i) {
    const Point& a = ring[i];
    const Point& b = ring[(i + 1) % N];
    coverage.add_edge(a.x, a.y, b.x, b.y, sign);
  }
}

}  // namespace

TEST_CASE("the covered part of each pixel of a triangle equals shapely's intersection area") {
  Coverage coverage(0, 4, 0, 3);
  add_ring(coverage, {Point{0.25, 0.5}, {3.75, 1.25}, {1.5, 2.9}}, -1);
  const double expected[3][4] = {{0.24962797619, 0.232142857143, 0.036458333333, 0},
                                 {0.230104166667, 0.9990625, 0.954126082251, 0.266517857143},
                                 {0, 0.569270833333, 0.193939393939, 0}};
  for (int row = 0; row < 3; ++row) {
    for (std::size_t column = 0; column < 4; ++column) {
      CAPTURE(row);
      CAPTURE(column);
      CHECK(std::abs(coverage.row(row)[column] - expected[row][column]) < 1e-11);
    }
  }
}

TEST_CASE("a window has the same coverage as the same pixels of the whole grid") {
  Coverage whole(-3, 12, -2, 9);
  add_ring(whole, {Point{-2.2, -1.5}, {6.7, 0.3}, {4.4, 5.9}, {-1.1, 4.2}}, -1);
  Coverage window(1, 3, 2, 2);
  add_ring(window, {Point{-2.2, -1.5}, {6.7, 0.3}, {4.4, 5.9}, {-1.1, 4.2}}, -1);
  double area = 0;
  for (int row = 0; row < 9; ++row) {
    for (const double part : whole.row(row)) area += part;
  }
  CHECK(area == doctest::Approx(41.73));  // shapely
  for (int row = 0; row < 2; ++row) {
    for (std::size_t column = 0; column < 3; ++column) {
      CHECK(window.row(row)[column] == doctest::Approx(whole.row(row + 4)[column + 4]));
    }
  }
}

TEST_CASE("a footprint whose edges run along pixel borders covers whole pixels") {
  Coverage coverage(0, 3, 0, 3);
  add_ring(coverage, {Point{1, 1}, {2, 1}, {2, 2}, {1, 2}}, -1);
  for (int row = 0; row < 3; ++row) {
    for (std::size_t column = 0; column < 3; ++column) {
      CHECK(coverage.row(row)[column] == (row == 1 && column == 1 ? 1 : 0));
    }
  }
}

TEST_CASE("a pixel inside of a hole of the footprint is not covered") {
  Coverage coverage(0, 1, 0, 1);
  add_ring(coverage, {Point{0, 0}, {1, 0}, {1, 1}, {0, 1}}, -1);
  add_ring(coverage, {Point{0.25, 0.25}, {0.75, 0.25}, {0.75, 0.75}, {0.25, 0.75}}, 1);
  CHECK(coverage.row(0)[0] == doctest::Approx(0.75));
}

TEST_CASE("rounding errors cover no pixels beside a footprint") {
  Coverage coverage(0, 40, 0, 3);
  add_ring(coverage, {Point{0.1, 0.1}, {0.7, 0.3}, {0.9, 1.7}, {0.3, 2.9}}, -1);
  for (int row = 0; row < 3; ++row) {
    const auto parts = coverage.row(row);
    CHECK(std::count(parts.begin() + 1, parts.end(), 0.) == 39);
  }
}

TEST_CASE("a footprint of one metre inside a pixel of one degree has coverage above zero") {
  Coverage coverage(0, 2, 0, 1);
  const double metre = 1 / 111'195.;
  add_ring(coverage, {Point{0.5, 0.5}, {0.5 + metre, 0.5}, {0.5 + metre, 0.5 + metre}, {0.5, 0.5 + metre}}, -1);
  CHECK(coverage.row(0)[0] == doctest::Approx(metre * metre).epsilon(1e-4));
}
