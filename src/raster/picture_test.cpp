#include "tacore/raster/picture.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "support/raster_data.hpp"
#include "tacore/error.hpp"

using namespace tacore;

namespace {

MemoryRaster<float> made(int64_t width, int64_t height, std::vector<float> values, std::optional<double> nodata = {}) {
  return {{.width = width, .height = height, .nodata = nodata, .block_height = 3}, std::move(values)};
}

std::vector<int> samples(const Picture& picture) {
  std::vector<int> out;
  for (const std::byte sample : picture.samples) out.push_back(std::to_integer<int>(sample));
  return out;
}

std::vector<float> ramp(int count) {
  std::vector<float> out;
  for (int i = 0; i < count; ++i) out.push_back(static_cast<float>(i));
  return out;
}

}  // namespace

TEST_CASE("a small raster is not shrunk, and is stretched between its percentiles") {
  const Picture picture = preview(made(10, 10, ramp(100)));
  CHECK(picture.width == 10);
  CHECK(picture.channels == 1);
  const auto found = samples(picture);
  CHECK(found[0] == 0);
  CHECK(found[2] == 0);  // the 2nd percentile of 0 to 99
  CHECK(found[3] == 3);  // 255 / 95
  CHECK(found[97] == 255);
  CHECK(found[99] == 255);
}

TEST_CASE("a pixel of the preview is the mean of its source pixels, fewer at the edges") {
  // 5 x 4 becomes 3 x 2 of 2 x 2 pixels.
  const std::vector<float> values = {0, 2, 10, 10, 90,   //
                                     4, 6, 10, 10, 110,  //
                                     1, 1, 50, 50, 7,    //
                                     1, 1, 50, 50, 9};
  const auto raster = made(5, 4, values);
  const Picture picture = preview(raster, {.size = 3});
  CHECK(picture.width == 3);
  CHECK(picture.height == 2);
  // Means 3, 10, 100, 1, 50, 8, from 1 to 100.
  CHECK(samples(picture) == std::vector<int>{5, 23, 255, 0, 126, 18});
  CHECK(raster.rows_read == 4);
}

TEST_CASE("no-data and non-finite pixels are transparent and left out of means") {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const Picture picture = preview(made(2, 2, {-9999, 5, std::nanf(""), kInfinity}, -9999));
  CHECK(picture.channels == 2);
  CHECK(samples(picture) == std::vector<int>{0, 0, 128, 255, 0, 0, 0, 0});
  const Picture mean = preview(made(2, 2, {-9999, 5, 7, kInfinity}, -9999), {.size = 1});
  CHECK(samples(mean) == std::vector<int>{128});
}

TEST_CASE("three bands are red, green and blue in the requested order, and no data in one makes a pixel transparent") {
  std::vector<float> values;
  for (const float base : {0.F, 100.F, 200.F}) values.insert(values.end(), {base, base + 50, base + 100, base + 25});
  values[1] = -1;
  const auto raster = made(2, 2, values, -1);
  const Picture picture = preview(raster);
  CHECK(picture.channels == 4);
  CHECK(samples(picture) == std::vector<int>{0, 0, 0, 255, 0, 0, 0, 0, 255, 255, 255, 255, 64, 64, 64, 255});
  CHECK(preview(raster, {.bands = {3, 2, 2}}).channels == 3);
  CHECK(preview(made(2, 2, ramp(8))).channels == 1);
}

TEST_CASE("a raster of only no-data gives a transparent picture") {
  const Picture picture = preview(made(1, 2, {-1, -1}, -1));
  CHECK(samples(picture) == std::vector<int>{0, 0, 0, 0});
}

TEST_CASE("previews of invalid sizes and numbers of bands are refused") {
  const auto raster = made(2, 2, ramp(12));
  CHECK_THROWS_WITH_AS(preview(raster, {.size = 0}), doctest::Contains("a preview of 0 pixels"), QueryError);
  CHECK_THROWS_WITH_AS(preview(raster, {.size = 16385}), doctest::Contains("expected 1 to 16384"), QueryError);
  CHECK_THROWS_WITH_AS(preview(raster, {.bands = {1, 2}}), doctest::Contains("one band or three, found 2"), QueryError);
  CHECK_THROWS_AS(preview(raster, {.bands = {4}}), QueryError);
}

TEST_CASE("a tensor is converted to a picture with interleaved channels") {
  Tensor pixels(DataType::UInt16, {2, 1, 3});
  const uint16_t values[] = {1, 2, 3, 400, 500, 600};
  std::memcpy(pixels.bytes().data(), values, sizeof values);
  const Picture picture = to_picture(pixels);
  CHECK(picture.width == 3);
  CHECK(picture.height == 1);
  CHECK(picture.channels == 2);
  uint16_t found[6];
  std::memcpy(found, picture.samples.data(), sizeof found);
  CHECK(std::vector<uint16_t>(found, found + 6) == std::vector<uint16_t>{1, 400, 2, 500, 3, 600});
}

TEST_CASE("a tensor of another type or shape is refused as a picture") {
  CHECK_THROWS_WITH_AS(to_picture(Tensor(DataType::Int16, {1, 2, 2})), doctest::Contains("found int16"), QueryError);
  CHECK_THROWS_WITH_AS(to_picture(Tensor(DataType::UInt8, {5, 2, 2})), doctest::Contains("found 5"), QueryError);
  CHECK_THROWS_WITH_AS(to_picture(Tensor(DataType::UInt8, {2, 2})), doctest::Contains("found 2 axes"), QueryError);
}
