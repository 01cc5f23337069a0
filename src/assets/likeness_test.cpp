#include "assets/likeness.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

namespace tacore {
namespace {

using assets::Likeness;
using assets::LikenessMaker;

/// Pixels of one band as bytes of type T.
template <class T>
std::vector<std::byte> pixels_as(const std::vector<double>& values) {
  std::vector<std::byte> out(values.size() * sizeof(T));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto value = static_cast<T>(values[i]);
    std::memcpy(&out[i * sizeof(T)], &value, sizeof(T));
  }
  return out;
}

/// A raster of one band, given whole or in windows of some size.
template <class T>
std::optional<Likeness> likeness_of(const std::vector<double>& values, int64_t width, DataType type,
                                    int64_t window_width, int64_t window_height,
                                    std::optional<double> nodata = std::nullopt) {
  const auto height = static_cast<int64_t>(values.size()) / width;
  LikenessMaker maker({.width = width, .height = height, .bands = 1, .type = type}, nodata);
  for (int64_t y = 0; y < height; y += window_height) {
    for (int64_t x = 0; x < width; x += window_width) {
      const Window window{x, y, std::min(window_width, width - x), std::min(window_height, height - y)};
      std::vector<double> piece;
      for (int64_t row = y; row < y + window.height; ++row) {
        for (int64_t column = x; column < x + window.width; ++column)
          piece.push_back(values[static_cast<std::size_t>(row * width + column)]);
      }
      maker.add(0, window, pixels_as<T>(piece));
    }
  }
  return maker.finish();
}

std::vector<double> random_pixels(unsigned seed, std::size_t count) {
  std::mt19937 random(seed);
  std::vector<double> out(count);
  for (double& value : out) value = static_cast<double>(random() % 4000 + 1);
  return out;
}

}  // namespace

TEST_CASE("a likeness depends on the pixels only: not on windows, type or compression") {
  for (const int64_t width : {16, 17, 40, 101}) {
    const auto values = random_pixels(static_cast<unsigned>(width), static_cast<std::size_t>(width * 37));
    const auto whole = likeness_of<uint16_t>(values, width, DataType::UInt16, width, 37);
    REQUIRE(whole.has_value());
    for (const int64_t side : {1, 5, 16, 64}) {
      CAPTURE(side);
      const auto tiled = likeness_of<uint16_t>(values, width, DataType::UInt16, side, side);
      const auto as_float = likeness_of<float>(values, width, DataType::Float32, side, 37);
      for (const auto& other : {tiled, as_float}) {
        REQUIRE(other.has_value());
        CHECK(other->pixels == whole->pixels);
        CHECK(other->detail == whole->detail);
        CHECK(other->means == whole->means);
        CHECK(other->details == whole->details);
      }
    }
    // One pixel more or less is another raster.
    auto changed = values;
    changed[changed.size() / 2] += 1;
    CHECK(likeness_of<uint16_t>(changed, width, DataType::UInt16, width, 37)->pixels != whole->pixels);
  }
}

TEST_CASE("scaled pixels have the same previews, other pixels do not") {
  const auto values = random_pixels(1, 64 * 64);
  auto scaled = values;
  for (double& value : scaled) value = value * 0.0001 - 3;
  const auto one = likeness_of<double>(values, 64, DataType::Float64, 64, 64);
  const auto same = likeness_of<double>(scaled, 64, DataType::Float64, 64, 64);
  const auto other = likeness_of<double>(random_pixels(2, 64 * 64), 64, DataType::Float64, 64, 64);
  CHECK(one->pixels != same->pixels);
  CHECK(one->detail == same->detail);
  CHECK(one->means == same->means);
  CHECK(one->details == same->details);
  CHECK(std::popcount(one->detail ^ other->detail) > 12);
}

TEST_CASE("rasters that are small, flat, or have few values or few valid pixels are not compared") {
  const auto compared = [](const std::vector<double>& values, int64_t width, std::optional<double> nodata = {}) {
    return likeness_of<double>(values, width, DataType::Float64, width, 64, nodata).has_value();
  };
  const auto values = random_pixels(3, 32 * 32);
  CHECK(compared(values, 32));
  CHECK_FALSE(compared(random_pixels(3, 15 * 32), 15));
  CHECK_FALSE(compared(random_pixels(3, 32 * 15), 32));
  CHECK_FALSE(compared(std::vector<double>(32 * 32, 7), 32));
  auto classes = values;
  for (double& value : classes) value = std::fmod(value, 24);
  CHECK_FALSE(compared(classes, 32));
  for (const double missing :
       {-9999.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    auto some = values;
    std::fill_n(some.begin(), 32 * 20, missing);
    CHECK_FALSE(compared(some, 32, missing));
    some = values;
    std::fill_n(some.begin(), 32 * 4, missing);
    CHECK(compared(some, 32, missing));
  }
  // A slope has no detail of its own.
  std::vector<double> slope;
  for (int i = 0; i < 64 * 64; ++i) slope.push_back(i % 64 * 3 + i / 64 * 5);
  const auto smooth = likeness_of<double>(slope, 64, DataType::Float64, 64, 64);
  REQUIRE(smooth.has_value());
  CHECK_FALSE(smooth->is_rough);
  CHECK(likeness_of<double>(random_pixels(4, 64 * 64), 64, DataType::Float64, 64, 64)->is_rough);
}

}  // namespace tacore
