#include "raster/tacotiff_header.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>

#include "base/text.hpp"
#include "raster/tiff_directory.hpp"
#include "support/support.hpp"
#include "tacore/error.hpp"

using namespace tacore;

namespace {

/// The headers of published fixtures.
struct Vector {
  const char* file;
  const char* hex;
};
constexpr Vector kVectors[] = {
    {"rgb_256x256.tif",
     "4c4f5645010000010000000100008000800003002003027803000000000000"
     "0c000000fde90000c7e90000d9e90000bae90000f1e90000c5e90000d5e90000f0e90000f5e90000bfe90000e2e90000bce90000"},
    {"single_band_128x128.tif", "4c4f564501008000000080000000800080000100200302c40200000000000001000000e5e90000"},
    {"multitemporal_64x64.tif",
     "4c4f5645010040000000400000008000800004002003021803000000000000040000001f3c0000323c0000143c0000263c0000"},
    {"categorical_128x128.tif", "4c4f564501008000000080000000800080000100080102c4020000000000000100000064190000"},
};

std::string hex_bytes_of(std::string_view hex) {
  std::string out;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    out += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  }
  return out;
}

/// 24 x 40 pixels in 3 bands and tiles of 16: 6 places, tiles of 57, 58, ... bytes in the order of the file.
TiffLayout example() {
  TiffLayout out{.width = 24,
                 .height = 40,
                 .bands = 3,
                 .type = DataType::UInt16,
                 .compression = Compression::Zstd,
                 .predictor = 2,
                 .is_planar = true,
                 .is_tiled = true,
                 .is_tile_interleaved = true,
                 .block_width = 16,
                 .block_height = 16,
                 .blocks = std::vector<ByteRange>(18)};
  uint64_t offset = 1058;
  for (std::size_t i = 0; i < 18; ++i) {
    out.blocks[i % 3 * 6 + i / 3] = {offset, 57 + i};
    offset += 57 + i + 8;
  }
  return out;
}

uint64_t end_of(const TiffLayout& layout) { return layout.blocks.back().offset + layout.blocks.back().size + 4; }

std::string message_of(const std::string& header, uint64_t file_size = 1 << 20) {
  try {
    decode_tacotiff_header(header, file_size, "a.tif");
  } catch (const FormatError& error) {
    CHECK(error.context().path == "a.tif");
    return error.message();
  }
  return "no error";
}

std::string patched(std::string header, std::size_t at, std::string_view bytes) {
  return header.replace(at, bytes.size(), bytes);
}

}  // namespace

TEST_CASE("an encoded header equals the published bytes of the published fixtures" * doctest::test_suite("external")) {
  if (missing(kImagery)) return;
  for (const auto& vector : kVectors) {
    CAPTURE(vector.file);
    const auto source = local_storage()->open(kImagery + vector.file);
    const auto directory = read_tiff_directory(*source);
    CHECK(encode_tacotiff_header(directory.layout) == hex_bytes_of(vector.hex));
    const auto layout = decode_tacotiff_header(hex_bytes_of(vector.hex), source->size(), vector.file);
    CHECK(layout.blocks == directory.layout.blocks);
    CHECK(layout.type == directory.layout.type);
    CHECK(layout.predictor == directory.layout.predictor);
    CHECK(layout.width == directory.layout.width);
    CHECK(layout.height == directory.layout.height);
  }
}

TEST_CASE("a header decoded and encoded again is unchanged") {
  const TiffLayout layout = example();
  const std::string header = encode_tacotiff_header(layout);
  REQUIRE(header.size() == 35 + 4 * 18);
  const TiffLayout back = decode_tacotiff_header(header, end_of(layout), "a.tif");
  CHECK(back.blocks == layout.blocks);
  CHECK(back.is_tile_interleaved);
  CHECK(encode_tacotiff_header(back) == header);
}

TEST_CASE("every pixel type keeps its bits and sample format in a header") {
  for (int i = 0; i <= static_cast<int>(DataType::Float64); ++i) {
    TiffLayout layout = example();
    layout.type = static_cast<DataType>(i);
    layout.predictor = 1;
    CAPTURE(to_string(layout.type));
    CHECK(decode_tacotiff_header(encode_tacotiff_header(layout), end_of(layout), "a.tif").type == layout.type);
  }
}

TEST_CASE("a TIFF that a header cannot represent is refused with all reasons") {
  TiffLayout layout = example();
  layout.is_big_endian = true;
  layout.compression = Compression::Lzw;
  layout.is_tiled = false;
  layout.is_planar = false;
  layout.block_width = 65536;
  const std::string expected =
      "has no TacoTIFF header: is big-endian; is not compressed with ZSTD; is not tiled; has planar configuration 1 "
      "(pixel-interleaved), not 2; has tiles larger than 65535 pixels";
  CHECK_THROWS_WITH_AS(encode_tacotiff_header(layout), expected.c_str(), ValidationError);
}

TEST_CASE("tiles at offsets that a header does not imply are refused") {
  TiffLayout gap = example();
  gap.blocks[6].offset += 1;  // the second tile of the file
  CHECK(join(why_no_tacotiff_header(gap), "; ") == "has tile 6 at byte 1124, and not at 1123, 8 bytes behind tile 0");
  TiffLayout sparse = example();
  sparse.blocks[17] = {};
  CHECK(join(why_no_tacotiff_header(sparse), "; ") == "leaves tiles out");
  TiffLayout by_band = example();  // all of band 1, then all of band 2: the same bytes, another order
  uint64_t offset = 1058;
  for (ByteRange& block : by_band.blocks) {
    block = {offset, 57};
    offset += 57 + 8;
  }
  CHECK(join(why_no_tacotiff_header(by_band), "; ").find("has tile 6 at byte 1448, and not at 1123") == 0);
}

TEST_CASE("an invalid header is a FormatError that names the fault") {
  const std::string header = encode_tacotiff_header(example());
  const auto has = [](const std::string& message, const char* words) {
    CAPTURE(message);
    CAPTURE(words);
    CHECK(has_text(message, words));
  };
  has(message_of(patched(header, 0, "HATE")), "does not start with \"LOVE\"");
  has(message_of(patched(header, 4, std::string_view("\2\0", 2))), "version 2, expected 1");
  has(message_of(header.substr(0, 20)), "is truncated");
  has(message_of(header.substr(0, header.size() - 1)), "expected 18 tiles");
  has(message_of(header + '\0'), "expected 18 tiles");
  has(message_of(patched(header, 6, std::string_view("\0\0\0\0", 4))), "without pixels");
  has(message_of(patched(header, 14, std::string_view("\0\0", 2))), "without pixels");
  has(message_of(patched(header, 18, std::string_view("\0\0", 2))), "without pixels");
  has(message_of(patched(header, 18, std::string_view("\4\0", 2))), "expected 24 tiles");
  has(message_of(patched(header, 20, "\x0c")), "12 bits of sample format 1");
  has(message_of(patched(header, 21, "\4")), "16 bits of sample format 4");
  has(message_of(patched(header, 22, "\7")), "predictor");
  has(message_of(patched(header, 31, "\xff\xff\xff\xff")), "4294967295 tiles");
  has(message_of(patched(header, 35, std::string_view("\0\0\0\0", 4))), "tile 0 has no bytes");
  has(message_of(patched(header, 35, "\xff\xff\xff\xff")), "tile 0 ends at byte 4294968353 of 1048576");
  has(message_of(patched(header, 23, "\xff\xff\xff\xff\xff\xff\xff\xff")), "overflows");
  has(message_of(header, 2000), "of 2000");
}

TEST_CASE("a header that states 2^32 x 2^32 pixels allocates no memory") {
  std::string header = encode_tacotiff_header(example());
  header.replace(6, 14, std::string_view("\xff\xff\xff\xff\xff\xff\xff\xff\1\0\1\0\xff\xff", 14));
  CHECK(has_text(message_of(header), "overflows"));
}

TEST_CASE("a header with any byte changed is decoded or a FormatError") {
  const std::string header = encode_tacotiff_header(example());
  for (std::size_t at = 0; at < header.size(); ++at) {
    for (const int value : {0, 1, 0x7f, 0x80, 0xff}) {
      CAPTURE(at);
      CAPTURE(value);
      try {
        decode_tacotiff_header(patched(header, at, std::string(1, static_cast<char>(value))), 1 << 16, "a.tif");
      } catch (const FormatError& error) {
        CHECK(!error.message().empty());
      }
    }
  }
}
