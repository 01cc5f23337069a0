#include "raster/tiff_structure.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <filesystem>

#include "raster/tacotiff_header.hpp"
#include "raster/tiff_directory.hpp"
#include "support/support.hpp"
#include "tacore/error.hpp"

using namespace tacore;

namespace {

/// 50 x 30 pixels, 3 bands, in strips of 7 rows one after another.
TiffLayout strips() {
  TiffLayout out{.width = 50,
                 .height = 30,
                 .bands = 3,
                 .type = DataType::Int16,
                 .compression = Compression::Lzw,
                 .predictor = 2,
                 .block_width = 50,
                 .block_height = 7};
  for (uint64_t i = 0; i < 5; ++i) out.blocks.push_back({1000 + 100 * i, 90 + i});
  return out;
}

void check_same(const TiffLayout& a, const TiffLayout& b) {
  CHECK(a.width == b.width);
  CHECK(a.height == b.height);
  CHECK(a.bands == b.bands);
  CHECK(a.type == b.type);
  CHECK(a.is_big_endian == b.is_big_endian);
  CHECK(a.compression == b.compression);
  CHECK(a.predictor == b.predictor);
  CHECK(a.is_planar == b.is_planar);
  CHECK(a.is_tiled == b.is_tiled);
  CHECK(a.is_tile_interleaved == b.is_tile_interleaved);
  CHECK(a.block_width == b.block_width);
  CHECK(a.block_height == b.block_height);
  CHECK(a.nodata.has_value() == b.nodata.has_value());
  if (a.nodata && b.nodata && !std::isnan(*a.nodata)) CHECK(*a.nodata == *b.nodata);
  if (a.nodata && b.nodata) CHECK(std::isnan(*a.nodata) == std::isnan(*b.nodata));
  CHECK(a.blocks == b.blocks);
}

void check_round_trip(const TiffLayout& layout, uint64_t file_size = 2000) {
  check_same(layout_from_header(encode_tiff_structure(layout), file_size, "a.tif"), layout);
}

std::string message_of(const std::string& header, uint64_t file_size = 2000) {
  try {
    layout_from_header(header, file_size, "a.tif");
  } catch (const FormatError& error) {
    CHECK(error.context().path == "a.tif");
    return error.message();
  }
  return "no error";
}

}  // namespace

TEST_CASE("the encoded structure of a TIFF keeps all fields that decoding needs") {
  TiffLayout layout = strips();
  check_round_trip(layout);
  layout.is_big_endian = true;
  check_round_trip(layout);
  layout.nodata = -3.4028234663852886e+38;
  check_round_trip(layout);
  layout.nodata = std::nan("");
  check_round_trip(layout);
  layout.blocks[2] = {};
  check_round_trip(layout);
  for (const auto compression : {Compression::None, Compression::Zstd, Compression::Deflate}) {
    layout.compression = compression;
    layout.predictor = 1;
    check_round_trip(layout);
  }
  layout.is_tiled = true;
  layout.is_planar = true;
  layout.is_tile_interleaved = true;
  layout.block_width = layout.block_height = 64;
  layout.blocks = {{100, 20}, {128, 20}, {156, 20}};
  check_round_trip(layout);
}

TEST_CASE("every pixel type survives in an encoded structure") {
  for (int i = 0; i <= static_cast<int>(DataType::Float64); ++i) {
    TiffLayout layout = strips();
    layout.type = static_cast<DataType>(i);
    CAPTURE(to_string(layout.type));
    check_round_trip(layout);
  }
}

TEST_CASE("a block beyond 4 GiB keeps its offset and size in an encoded structure") {
  TiffLayout layout = strips();
  layout.blocks[4] = {uint64_t{1} << 40, (uint64_t{1} << 32) + 5};
  check_round_trip(layout, uint64_t{1} << 41);
}

TEST_CASE("a structure whose blocks lie outside a small file is refused") {
  TiffLayout layout = strips();
  for (uint64_t i = 0; i < 5; ++i) layout.blocks[i] = {8 + i, 1};
  check_round_trip(layout, 13);
  CHECK(has_text(message_of(encode_tiff_structure(layout), 12), "are outside of the file of 12"));
}

TEST_CASE("a truncated structure is refused, and gives no zero pixels") {
  const std::string whole = encode_tiff_structure(strips());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    CAPTURE(size);
    CHECK(message_of(whole.substr(0, size)) != "no error");
  }
}

TEST_CASE("a structure with damaged bytes gives a layout inside the file, or a FormatError") {
  const std::string whole = encode_tiff_structure(strips());
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const int value : {0, 1, 0x7f, 0x80, 0xff}) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(value);
      try {
        for (const auto& block : layout_from_header(damaged, 2000, "a.tif").blocks) {
          CHECK(block.offset + block.size <= 2000);
        }
      } catch (const FormatError& error) {
        CHECK(!error.message().empty());
      }
    }
  }
}

TEST_CASE("the structure of every sample TIFF equals that of its directory" * doctest::test_suite("external")) {
  if (missing(kImagery)) return;
  int num_checked = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kImagery)) {
    const std::string path = entry.path().string();
    CAPTURE(path);
    const auto source = local_storage()->open(path);
    TiffDirectory directory;
    try {
      directory = read_tiff_directory(*source);
    } catch (const FormatError&) {
      continue;  // one of them is broken
    }
    if (!directory.unsupported.empty()) continue;
    check_same(layout_from_header(encode_tiff_structure(directory.layout), source->size(), path), directory.layout);
    if (why_no_tacotiff_header(directory.layout).empty()) {
      TiffLayout expected = directory.layout;
      expected.nodata.reset();  // to be looked up
      expected.is_planar = expected.is_tile_interleaved = true;
      check_same(layout_from_header(encode_tacotiff_header(directory.layout), source->size(), path), expected);
    }
    ++num_checked;
  }
  CHECK(num_checked > 10);
}
