#include <doctest/doctest.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

#include "support/support.hpp"
#include "tacore/error.hpp"
#include "tacore/raster/picture.hpp"

using namespace tacore;

TEST_CASE("a PNG begins and ends as the standard says") {
  const Bytes png = encode_png({.width = 2, .height = 1, .channels = 1, .samples = bytes_of({7, 9})});
  const Bytes head = bytes_of({0x89, 'P', 'N', 'G', 13,  10,  26,  10,   //
                               0,    0,   0,   13,  'I', 'H', 'D', 'R',  //
                               0,    0,   0,   2,   0,   0,   0,   1,   8, 0, 0, 0, 0});
  CHECK(Bytes(png.begin(), png.begin() + static_cast<std::ptrdiff_t>(head.size())) == head);
  const Bytes end = bytes_of({0, 0, 0, 0, 'I', 'E', 'N', 'D', 0xae, 0x42, 0x60, 0x82});  // the same in every PNG
  CHECK(Bytes(png.end() - 12, png.end()) == end);
  CHECK(to_text(png).find("IDAT") == 37);
}

TEST_CASE("the PNG header states bit depth and channels") {
  const uint8_t colours[] = {0, 4, 2, 6};
  for (int channels = 1; channels <= 4; ++channels) {
    for (const DataType type : {DataType::UInt8, DataType::UInt16}) {
      CAPTURE(channels);
      const Bytes png = encode_png({.width = 1,
                                    .height = 1,
                                    .channels = channels,
                                    .type = type,
                                    .samples = Bytes(static_cast<std::size_t>(channels) * size_of(type))});
      CHECK(std::to_integer<std::size_t>(png[24]) == 8 * size_of(type));
      CHECK(std::to_integer<int>(png[25]) == colours[channels - 1]);
    }
  }
}

TEST_CASE("arrays that are not pictures are refused") {
  const Picture good{.width = 2, .height = 2, .channels = 3, .samples = Bytes(12)};
  encode_png(good);
  const auto refused = [&](auto change, const char* why) {
    Picture bad = good;
    change(bad);
    CHECK_THROWS_WITH_AS(encode_png(bad), doctest::Contains(why), ValidationError);
  };
  refused([](Picture& p) { p.width = 0; }, "0 x 2 pixels");
  refused([](Picture& p) { p.height = -1; }, "2 x -1 pixels");
  refused([](Picture& p) { p.width = int64_t{1} << 31; }, "2147483648 x 2");
  refused([](Picture& p) { p.channels = 5; }, "5 channels");
  refused([](Picture& p) { p.channels = 0; }, "0 channels");
  refused([](Picture& p) { p.type = DataType::Int16; }, "int16");
  refused([](Picture& p) { p.samples.pop_back(); }, "11 bytes for 2 rows of 6");
  refused([](Picture& p) { p.samples.resize(18); }, "18 bytes for 2 rows of 6");
}
