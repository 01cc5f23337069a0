#include "tacore/raster/tensor.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>

#include "support/raster_data.hpp"
#include "tacore/error.hpp"

using namespace tacore;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <class T>
std::vector<T> vector_of(const Tensor& tensor) {
  REQUIRE(tensor.type() == type_of<T>());
  const auto values = tensor.values<T>();
  return {values.begin(), values.end()};
}

/// One row of pixels, as another type.
template <class To, class From>
std::vector<To> as(std::vector<From> pixels, TensorOptions options = {}, std::optional<double> nodata = {}) {
  const auto width = static_cast<int64_t>(pixels.size());
  options.type = type_of<To>();
  return vector_of<To>(read_tensor(MemoryRaster<From>(width, 1, std::move(pixels), nodata), options));
}

/// The pixels of three bands of 4 x 2: band * 100 + row * 10 + column.
MemoryRaster<uint16_t> three_bands() {
  return {4, 2, {100, 101, 102, 103, 110, 111, 112, 113, 200, 201, 202, 203,
                 210, 211, 212, 213, 300, 301, 302, 303, 310, 311, 312, 313}};
}

TEST_CASE("a tensor has the shape, the type and aligned memory") {
  Tensor tensor(DataType::Int16, {2, 3, 5});
  CHECK(tensor.shape() == std::vector<int64_t>{2, 3, 5});
  CHECK(tensor.num_values() == 30);
  CHECK(tensor.bytes().size() == 60);
  CHECK(reinterpret_cast<uintptr_t>(tensor.bytes().data()) % 64 == 0);
  CHECK(Tensor().num_values() == 0);
  CHECK(Tensor(DataType::Float64, {0, 7}).bytes().empty());
}

TEST_CASE("a tensor of invalid shape is refused") {
  CHECK_THROWS_WITH_AS(Tensor(DataType::UInt8, {2, -1}), "a tensor has no axis of length -1", QueryError);
  CHECK_THROWS_WITH_AS(Tensor(DataType::Float64, {int64_t{1} << 31, int64_t{1} << 30}),
                       "a tensor of more than 2^63 bytes", QueryError);
}

TEST_CASE("without options all bands are read as they are stored") {
  const Tensor all = read_tensor(three_bands());
  CHECK(all.shape() == std::vector<int64_t>{3, 2, 4});
  CHECK(vector_of<uint16_t>(all)[0] == 100);
  CHECK(vector_of<uint16_t>(all)[23] == 313);
}

TEST_CASE("bands are read in the requested order, repeats included") {
  const Tensor some = read_tensor(three_bands(), {.bands = {3, 1, 3}, .window = Window{1, 1, 2, 1}});
  CHECK(some.shape() == std::vector<int64_t>{3, 1, 2});
  CHECK(vector_of<uint16_t>(some) == std::vector<uint16_t>{311, 312, 111, 112, 311, 312});
}

TEST_CASE("scales apply per band, or one to all bands") {
  const TensorOptions each{.bands = {2, 1}, .window = Window{0, 0, 2, 1}, .scale = {{0.5, 1}, {2, -200}}};
  const Tensor scaled = read_tensor(three_bands(), each);
  CHECK(vector_of<float>(scaled) == std::vector<float>{101, 101.5, 0, 2});
  const TensorOptions all{.bands = {2, 1}, .window = Window{0, 0, 2, 1}, .scale = {{10, 0}}};
  CHECK(vector_of<float>(read_tensor(three_bands(), all)) == std::vector<float>{2000, 2010, 1000, 1010});
}

TEST_CASE("a scale is computed in double precision and rounded once") {
  // 16777217 is not a float: single precision would round it to 16777216 before it is scaled.
  CHECK(as<double>(std::vector<uint32_t>{16777217}, {.scale = {{1, 0.5}}}) == std::vector<double>{16777217.5});
  CHECK(as<float>(std::vector<uint32_t>{16777217}, {.scale = {{1, -16777216}}}) == std::vector<float>{1});
}

TEST_CASE("every pixel type converts to every other") {
  const auto each_target = [](auto zero) {
    using From = decltype(zero);
    const std::vector<From> pixels{0, 1, 2, 100, 127};
    CHECK(as<uint8_t>(pixels) == std::vector<uint8_t>{0, 1, 2, 100, 127});
    CHECK(as<int8_t>(pixels) == std::vector<int8_t>{0, 1, 2, 100, 127});
    CHECK(as<uint16_t>(pixels) == std::vector<uint16_t>{0, 1, 2, 100, 127});
    CHECK(as<int16_t>(pixels) == std::vector<int16_t>{0, 1, 2, 100, 127});
    CHECK(as<uint32_t>(pixels) == std::vector<uint32_t>{0, 1, 2, 100, 127});
    CHECK(as<int32_t>(pixels) == std::vector<int32_t>{0, 1, 2, 100, 127});
    CHECK(as<uint64_t>(pixels) == std::vector<uint64_t>{0, 1, 2, 100, 127});
    CHECK(as<int64_t>(pixels) == std::vector<int64_t>{0, 1, 2, 100, 127});
    CHECK(as<float>(pixels) == std::vector<float>{0, 1, 2, 100, 127});
    CHECK(as<double>(pixels) == std::vector<double>{0, 1, 2, 100, 127});
    CHECK(as<float>(pixels, {.scale = {{2, 1}}}) == std::vector<float>{1, 3, 5, 201, 255});
    CHECK(as<uint8_t>(pixels, {.scale = {{2, 1}}, .fill = 7}, 2) == std::vector<uint8_t>{1, 3, 7, 201, 255});
  };
  each_target(uint8_t{});
  each_target(int8_t{});
  each_target(uint16_t{});
  each_target(int16_t{});
  each_target(uint32_t{});
  each_target(int32_t{});
  each_target(uint64_t{});
  each_target(int64_t{});
  each_target(float{});
  each_target(double{});
}

TEST_CASE("integers are clamped to the range of the type") {
  CHECK(as<uint8_t>(std::vector<int16_t>{-1, 255, 256, -32768}) == std::vector<uint8_t>{0, 255, 255, 0});
  CHECK(as<int8_t>(std::vector<uint16_t>{127, 128, 65535}) == std::vector<int8_t>{127, 127, 127});
  CHECK(as<uint64_t>(std::vector<int64_t>{-1, INT64_MAX}) == std::vector<uint64_t>{0, INT64_MAX});
  CHECK(as<int64_t>(std::vector<uint64_t>{UINT64_MAX, (uint64_t{1} << 53) + 1}) ==
        std::vector<int64_t>{INT64_MAX, (int64_t{1} << 53) + 1});  // never converted to double
  CHECK(as<uint32_t>(std::vector<int64_t>{-5, int64_t{1} << 40}) == std::vector<uint32_t>{0, UINT32_MAX});
}

TEST_CASE("floating-point values are rounded to the nearest integer, halves away from zero, and clamped") {
  CHECK(as<int8_t>(std::vector<double>{0.5, 1.5, 2.5, -0.5, -1.5, 0.49999999999999994, 127.4, 127.5, -128.6, 1e300}) ==
        std::vector<int8_t>{1, 2, 3, -1, -2, 0, 127, 127, -128, 127});
  CHECK(as<uint8_t>(std::vector<float>{-0.4f, -0.6f, 254.5f, 300, -300}) == std::vector<uint8_t>{0, 0, 255, 255, 0});
  CHECK(as<int32_t>(std::vector<float>{9730057, -14090949}) ==
        std::vector<int32_t>{9730057, -14090949});  // + 0.5 is not a float
  CHECK(as<int32_t>(std::vector<float>{2147483648.0f, -2147483648.0f, 2147483520.0f, 16777217.0f}) ==
        std::vector<int32_t>{INT32_MAX, INT32_MIN, 2147483520, 16777216});
  CHECK(as<int64_t>(std::vector<double>{9223372036854775808.0, 9223372036854774784.0, -1e19}) ==
        std::vector<int64_t>{INT64_MAX, 9223372036854774784, INT64_MIN});
  CHECK(as<uint64_t>(std::vector<double>{18446744073709551616.0, 18446744073709549568.0, -1}) ==
        std::vector<uint64_t>{UINT64_MAX, 18446744073709549568u, 0});
}

TEST_CASE("NaN converts to integer 0, and infinities to the ends of the range") {
  CHECK(as<int16_t>(std::vector<double>{kNaN, kInfinity, -kInfinity}) == std::vector<int16_t>{0, INT16_MAX, INT16_MIN});
  const auto floats = as<float>(std::vector<double>{kNaN, kInfinity, -kInfinity, 1e300});
  CHECK(std::isnan(floats[0]));
  CHECK(floats[1] == static_cast<float>(kInfinity));
  CHECK(floats[2] == static_cast<float>(-kInfinity));
  CHECK(floats[3] == static_cast<float>(kInfinity));
}

TEST_CASE("the fill value replaces no-data pixels after scaling, and no others") {
  const std::vector<int16_t> pixels{-9999, 1, -9999, 4};
  CHECK(as<float>(pixels, {.scale = {{2, 0}}, .fill = -1}, -9999) == std::vector<float>{-1, 2, -1, 8});
  CHECK(as<int16_t>(pixels, {.fill = 0}, -9999) == std::vector<int16_t>{0, 1, 0, 4});
  CHECK(std::isnan(as<float>(pixels, {.fill = kNaN}, -9999)[0]));
  CHECK(as<float>(pixels, {.fill = kNaN}, -9999)[1] == 1);
  // Without a fill no data is a value like any other; without no data there is nothing to fill.
  CHECK(as<float>(pixels, {.scale = {{2, 0}}}, -9999) == std::vector<float>{-19998, 2, -19998, 8});
  CHECK(as<float>(pixels, {.fill = 5}) == std::vector<float>{-9999, 1, -9999, 4});
}

TEST_CASE("no data is compared in the type of the file") {
  // The file stores no data as text: it means the float nearest to it, whose value as a double differs.
  CHECK(as<float>(std::vector<float>{-3.4028234e38f, 0.1f, 1}, {.fill = 9}, 0.1) ==
        std::vector<float>{-3.4028234e38f, 9, 1});
  // A no-data value outside of the type matches no pixel: 256 is not 255, and 0.5 is not 1.
  CHECK(as<uint8_t>(std::vector<uint8_t>{255, 0, 1}, {.fill = 9}, 256) == std::vector<uint8_t>{255, 0, 1});
  CHECK(as<uint8_t>(std::vector<uint8_t>{255, 0, 1}, {.fill = 9}, 0.5) == std::vector<uint8_t>{255, 0, 1});
  CHECK(as<uint8_t>(std::vector<uint8_t>{255, 0, 1}, {.fill = 9}, kNaN) == std::vector<uint8_t>{255, 0, 1});
  CHECK(as<double>(std::vector<double>{kNaN, 0, 1}, {.scale = {{3, 1}}, .fill = 9}, kNaN) ==
        std::vector<double>{9, 1, 4});
}

TEST_CASE("long rows are converted to their last value") {
  for (const std::size_t length : {511U, 512U, 513U, 1025U, 5000U}) {
    std::vector<uint16_t> pixels(length);
    std::iota(pixels.begin(), pixels.end(), uint16_t{1});
    std::vector<float> expected(pixels.begin(), pixels.end());
    CAPTURE(length);
    CHECK(as<float>(pixels) == expected);
    CHECK(as<float>(pixels, {.scale = {{1, 0}}, .fill = 0}, 70000) == expected);
  }
}

TEST_CASE("a tensor is read into memory that is not aligned") {
  const TensorOptions options{.bands = {1}, .window = Window{0, 0, 4, 1}, .type = DataType::Float64};
  Bytes memory(8 * 4 + 3);
  read_tensor(three_bands(), options, std::span(memory).subspan(1, 32));
  double last = 0;
  std::memcpy(&last, memory.data() + 1 + 24, 8);
  CHECK(last == 103);
  CHECK(memory[0] == std::byte{0});
  CHECK(memory[33] == std::byte{0});
}

TEST_CASE("shape and type are known without reading") {
  const RasterInfo info = three_bands().info();
  CHECK(tensor_shape(info, {}) == std::vector<int64_t>{3, 2, 4});
  CHECK(tensor_shape(info, {.bands = {2}, .window = Window{3, 1, 1, 1}}) == std::vector<int64_t>{1, 1, 1});
  CHECK(tensor_type(info, {}) == DataType::UInt16);
  CHECK(tensor_type(info, {.scale = {{1, 0}}}) == DataType::Float32);
  CHECK(tensor_type(info, {.type = DataType::Int8, .scale = {{1, 0}}}) == DataType::Int8);
}

TEST_CASE("options that do not fit the raster are refused with its name") {
  const auto raster = three_bands();
  CHECK_THROWS_WITH_AS(read_tensor(raster, {.bands = {1, 4}}), "memory: band 4 is not one of 1 to 3", QueryError);
  CHECK_THROWS_WITH_AS(read_tensor(raster, {.bands = {0}}), "memory: band 0 is not one of 1 to 3", QueryError);
  CHECK_THROWS_AS(read_tensor(raster, {.window = Window{1, 0, 4, 1}}), QueryError);
  CHECK_THROWS_AS(read_tensor(raster, {.window = Window{-1, 0, 2, 1}}), QueryError);
  CHECK_THROWS_AS(read_tensor(raster, {.window = Window{0, 0, -4, -2}}), QueryError);
  CHECK_THROWS_AS(read_tensor(raster, {.window = Window{1, 1, INT64_MAX, INT64_MAX}}), QueryError);
  CHECK_THROWS_WITH_AS(read_tensor(raster, {.scale = {{1, 0}, {1, 0}}}),
                       "memory: 2 scales for 3 bands; none, one or one for each expected", QueryError);
  CHECK_THROWS_AS(tensor_shape(raster.info(), {.bands = {4}}), QueryError);
}

TEST_CASE("a fill value that the type cannot hold is refused") {
  const auto raster = three_bands();
  CHECK_THROWS_WITH_AS(read_tensor(raster, {.fill = kNaN}), "memory: fill nan is not a value of uint16", QueryError);
  CHECK_THROWS_AS(read_tensor(raster, {.fill = -1}), QueryError);
  CHECK_THROWS_AS(read_tensor(raster, {.fill = 0.5}), QueryError);
  CHECK_THROWS_AS(read_tensor(raster, {.fill = 65536}), QueryError);
  CHECK_NOTHROW(read_tensor(raster, {.fill = 65535}));
  CHECK(as<uint64_t>(std::vector<int8_t>{-1, 2}, {.fill = 18446744073709551616.0}, -1) ==
        std::vector<uint64_t>{UINT64_MAX, 2});  // the double nearest to it
}

TEST_CASE("memory of another size is refused") {
  Bytes memory(3 * 8 * 2 - 1);
  CHECK_THROWS_WITH_AS(read_tensor(three_bands(), {}, memory), "memory: memory of 47 bytes for a tensor of 48",
                       QueryError);
}

}  // namespace
