#include "raster/tiff_raster.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "io/memory_source.hpp"
#include "raster/tiff_directory.hpp"
#include "support/support.hpp"
#include "tacore/error.hpp"

using namespace tacore;

namespace {

/// 2 x 2 pixels of one band of 8 bits in one strip at byte 8, the directory behind it.
Bytes small_tiff() {
  return bytes_of({'I', 'I', 42, 0,  12, 0, 0, 0,              //
                   10,  20,  30, 40,                           //
                   6,   0,                                     //
                   0,   1,   3,  0,  1,  0, 0, 0, 2, 0, 0, 0,  // width
                   1,   1,   3,  0,  1,  0, 0, 0, 2, 0, 0, 0,  // height
                   2,   1,   3,  0,  1,  0, 0, 0, 8, 0, 0, 0,  // bits
                   17,  1,   4,  0,  1,  0, 0, 0, 8, 0, 0, 0,  // strip offset
                   22,  1,   3,  0,  1,  0, 0, 0, 2, 0, 0, 0,  // rows of a strip
                   23,  1,   4,  0,  1,  0, 0, 0, 4, 0, 0, 0,  // bytes of the strip
                   0,   0,   0,  0});
}

std::shared_ptr<const Raster> open(Bytes bytes) {
  auto source = memory_source("a.tif", std::move(bytes));
  auto directory = read_tiff_directory(*source);
  return make_tiff_raster(source, std::move(directory.layout), "a.tif");
}

}  // namespace

TEST_CASE("a TIFF of one strip, written byte by byte, is read") {
  const auto raster = open(small_tiff());
  CHECK(raster->info().width == 2);
  CHECK(raster->info().height == 2);
  CHECK(raster->info().type == DataType::UInt8);
  const int band = 1;
  Bytes out(4);
  raster->read({&band, 1}, {0, 0, 2, 2}, out);
  CHECK(out == bytes_of({10, 20, 30, 40}));
  out.resize(2);
  raster->read({&band, 1}, {1, 0, 1, 2}, out);
  CHECK(out == bytes_of({20, 40}));
}

TEST_CASE("bands and windows outside the raster are refused") {
  const auto raster = open(small_tiff());
  Bytes out(4);
  const int band = 2;
  CHECK_THROWS_WITH_AS(raster->read({&band, 1}, {0, 0, 2, 2}, out), "a.tif: band 2 is not one of 1 to 1", QueryError);
  const int first = 1;
  CHECK_THROWS_WITH_AS(raster->read({&first, 1}, {1, 0, 2, 2}, out),
                       "a.tif: window 1,0,2,2 is not inside the raster of 2 x 2", QueryError);
}
