#include <doctest/doctest.h>

#include <cmath>

#include "io/memory_source.hpp"
#include "raster/codecs.hpp"
#include "raster/count_tiff.hpp"
#include "raster/tiff_directory.hpp"
#include "raster/tiff_raster.hpp"
#include "tacore/error.hpp"
#include "tacore/raster/tensor.hpp"
#include "tortilla/streaming/chunk_layout.hpp"
#include "tortilla/streaming/mrio_axes.hpp"

namespace tacore {
namespace {

using Axes = std::vector<int64_t>;

std::string md(const std::string& json) {
  std::string escaped;
  for (const char c : json) escaped += c == '"' ? "&quot;" : std::string(1, c);
  return "<GDALMetadata>\n  <Item name=\"MD_METADATA\">" + escaped + "</Item>\n</GDALMetadata>\n";
}

TEST_CASE("bands are unfolded by mrio's md:pattern") {
  const std::string lengths = "\"md:coordinates_len\": {\"time\": 5, \"band\": 3}";
  const std::string pattern = "\"md:pattern\": \"(time band) h w -> time band h w\"";
  CHECK(mrio_axes(md("{" + pattern + ", " + lengths + "}"), 15) == Axes{5, 3});
  CHECK(
      mrio_axes(md("{" + lengths + ", \"md:blockzsize\": 1, \"md:attributes\": {\"md:pattern\": 3}, " + pattern + "}"),
                15) == Axes{5, 3});
  CHECK(mrio_axes("", 15).empty());
  CHECK(mrio_axes("<GDALMetadata>\n  <Item name=\"other\">1</Item>\n</GDALMetadata>\n", 15).empty());
  // Axes in another order than that of the bands would have to be moved.
  CHECK(mrio_axes(md("{\"md:pattern\": \"(band time) y x -> time band y x\", " + lengths + "}"), 15).empty());
  CHECK_THROWS_WITH_AS(mrio_axes(md("{" + pattern + ", " + lengths + "}"), 14),
                       doctest::Contains("is not the number of bands, 14"), FormatError);
  CHECK_THROWS_AS(mrio_axes(md("{" + pattern + ", \"md:coordinates_len\": {\"time\": 5}}"), 15), FormatError);
  CHECK_THROWS_AS(
      mrio_axes(md("{" + pattern + ", \"md:coordinates_len\": {\"time\": 9223372036854775807, \"band\": 3}}"), 15),
      FormatError);
  CHECK_THROWS_WITH_AS(mrio_axes(md("{" + pattern + ", " + lengths + ", \"md:blockzsize\": 2}"), 15),
                       doctest::Contains("md:blockzsize 2"), SchemaError);
  for (const std::string broken : {"{", "{\"md:pattern\"", "{\"md:pattern\": \"(", "\"", "{\"md:pattern\": \"(a -> a"})
    CHECK(mrio_axes(md(broken), 1).empty());
}

v1::Chunk good() {
  return {.offset = 100,
          .band_offsets = {0, 28},
          .band_lengths = {20, 20},
          .shape = {2, 16, 32},
          .valid = {16, 7},
          .dtype = "uint16",
          .interleave = "tile",
          .compression = 50000,
          .predictor = 2,
          .nodata = 3.0,
          .length = 48};
}

TEST_CASE("a chunk is a raster of one block for each band") {
  const TiffLayout layout = chunk_layout(good(), false, 1000, "a");
  CHECK(layout.width == 7);
  CHECK(layout.height == 16);
  CHECK(layout.bands == 2);
  CHECK(layout.type == DataType::UInt16);
  CHECK(layout.compression == Compression::Zstd);
  CHECK(layout.is_planar);
  CHECK(layout.blocks == std::vector<ByteRange>{{100, 20}, {128, 20}});
  CHECK(layout.nodata == 3.0);
  CHECK(chunk_layout(good(), true, 1000, "a").width == 32);
  auto pixel = good();
  pixel.interleave = "pixel";
  pixel.band_offsets = {0};
  pixel.band_lengths = {40};
  pixel.compression = 32946;
  CHECK(!chunk_layout(pixel, false, 1000, "a").is_planar);
  CHECK(chunk_layout(pixel, false, 1000, "a").compression == Compression::Deflate);
}

TEST_CASE("an invalid chunk is refused") {
  struct Lie {
    const char* why;
    void (*tell)(v1::Chunk&);
  };
  const Lie lies[] = {
      {"3 numbers in shape and 2 in valid expected", [](v1::Chunk& c) { c.shape = {2, 16}; }},
      {"3 numbers in shape and 2 in valid expected", [](v1::Chunk& c) { c.valid = {}; }},
      {"interleave 'line'", [](v1::Chunk& c) { c.interleave = "line"; }},
      {"predictor 4; 1, 2 or 3 expected", [](v1::Chunk& c) { c.predictor = 4; }},
      {"predictor 3 (floating point) for uint16", [](v1::Chunk& c) { c.predictor = 3; }},
      {"compression 7", [](v1::Chunk& c) { c.compression = 7; }},
      {"type 'complex64'", [](v1::Chunk& c) { c.dtype = "complex64"; }},
      {"valid is larger than shape", [](v1::Chunk& c) { c.valid = {17, 7}; }},
      {"size 0 x 16", [](v1::Chunk& c) { c.valid = {16, 0}; }},
      {"0 bands", [](v1::Chunk& c) { c.shape[0] = 0; }},
      {"bands is out of range", [](v1::Chunk& c) { c.shape[0] = int64_t{1} << 40; }},
      {"blocks of 9223372036854775807 x 16", [](v1::Chunk& c) { c.shape[2] = INT64_MAX; }},
      {"2 blocks, the image size requires 3", [](v1::Chunk& c) { c.shape[0] = 3; }},
      {"as many band offsets as lengths", [](v1::Chunk& c) { c.band_offsets = {0}; }},
      {"a negative offset or length", [](v1::Chunk& c) { c.band_offsets[1] = -1; }},
      {"a negative offset or length", [](v1::Chunk& c) { c.band_lengths[1] = -1; }},
      {"offset of a band overflows", [](v1::Chunk& c) { c.band_offsets[1] = INT64_MAX; }},
      {"are outside of the file of 1000", [](v1::Chunk& c) { c.band_offsets[1] = 881; }},
  };
  for (const Lie& lie : lies) {
    CAPTURE(lie.why);
    v1::Chunk chunk = good();
    lie.tell(chunk);
    CHECK_THROWS_WITH_AS(chunk_layout(chunk, false, 1000, "a"), doctest::Contains(lie.why), FormatError);
  }
}

TEST_CASE("a chunk row that differs from its TIFF is reported with the column") {
  TiffDirectory file;
  TiffLayout& whole = file.layout;
  whole = {.width = 39,
           .height = 32,
           .bands = 2,
           .type = DataType::UInt16,
           .compression = Compression::Zstd,
           .predictor = static_cast<int>(good().predictor),
           .is_planar = true,
           .is_tiled = true,
           .block_width = 32,
           .block_height = 16,
           .nodata = 3.0};
  for (uint64_t i = 0; i < 8; ++i) whole.blocks.push_back({300 + 20 * i, 20});
  whole.blocks[1] = {100, 20};
  whole.blocks[5] = {128, 20};
  file.gdal_metadata =
      md("{\"md:pattern\": \"(time band) h w -> time band h w\", "
         "\"md:coordinates_len\": {\"time\": 2, \"band\": 1}}");
  CHECK(why_wrong_chunk(good(), file, 1) == "");
  struct Lie {
    const char* column;
    void (*tell)(v1::Chunk&);
  };
  const Lie lies[] = {{"chunk:dtype is 'uint8', uint16 expected", [](v1::Chunk& c) { c.dtype = "uint8"; }},
                      {"chunk:dtype is 'int16', uint16 expected", [](v1::Chunk& c) { c.dtype = "int16"; }},
                      {"chunk:compression is 8, 50000 expected", [](v1::Chunk& c) { c.compression = 8; }},
                      {"chunk:predictor is ", [](v1::Chunk& c) { c.predictor = c.predictor == 1 ? 2 : 1; }},
                      {"chunk:interleave is 'pixel'", [](v1::Chunk& c) { c.interleave = "pixel"; }},
                      {"chunk:shape is [2, 16, 16], [2, 16, 32] expected", [](v1::Chunk& c) { c.shape[2] = 16; }},
                      {"chunk:valid is [16, 6], [16, 7] expected", [](v1::Chunk& c) { c.valid[1] = 6; }},
                      {"chunk:valid is [16, 32], [16, 7] expected", [](v1::Chunk& c) { c.valid[1] = 32; }},
                      {"chunk:band_lengths is 0 of band 2, 20 expected", [](v1::Chunk& c) { c.band_lengths[1] = 0; }},
                      {"chunk:band_offsets is byte 128 of band 1, 100 expected",
                       [](v1::Chunk& c) { std::swap(c.band_offsets[0], c.band_offsets[1]); }},
                      {"chunk:band_offsets is byte 120 of band 1", [](v1::Chunk& c) { c.offset += 20; }},
                      {"chunk:row is 1, 0 expected", [](v1::Chunk& c) { c.row = 1; }},
                      {"chunk:col is 0, 1 expected", [](v1::Chunk& c) { c.col = 0; }},
                      {"chunk:axes is [1, 2], [2, 1] expected", [](v1::Chunk& c) { c.axes = {1, 2}; }},
                      {"tortilla:length is 47, 48 expected", [](v1::Chunk& c) { --c.length; }},
                      {"chunk:nodata is not that of the raster", [](v1::Chunk& c) { c.nodata = 4; }}};
  for (const Lie& lie : lies) {
    CAPTURE(lie.column);
    v1::Chunk chunk = good();
    lie.tell(chunk);
    const std::string why = why_wrong_chunk(chunk, file, 1);
    CAPTURE(why);
    CHECK(why.find(lie.column) == 0);
  }
  // The id of another chunk, and of one that is not there.
  CHECK(why_wrong_chunk(good(), file, 0) != "");
  CHECK(why_wrong_chunk(good(), file, 4) == "its number is 4, 0 to 3 expected");
  auto full = good(), none = good();
  full.row = 0;
  full.col = 1;
  full.axes = {2, 1};
  CHECK(why_wrong_chunk(full, file, 1) == "");
  none.nodata.reset();
  CHECK(why_wrong_chunk(none, file, 1) == "");  // its bands are all there
  none.band_offsets = none.band_lengths = {0, 0};
  none.length = 0;
  whole.blocks[1] = whole.blocks[5] = {};
  CHECK(why_wrong_chunk(none, file, 1) == "chunk:nodata is not that of the raster");
  whole.nodata = none.nodata = std::nan("");
  CHECK(why_wrong_chunk(none, file, 1) == "");
  file.unsupported = "compression 7 (JPEG)";
  CHECK(why_wrong_chunk(good(), file, 1) == "the raster is a TIFF with compression 7 (JPEG)");
}

TEST_CASE("memory is allocated only for what the bytes can hold") {
  v1::Chunk chunk = good();
  chunk.shape = {2, 16384, 16384};
  chunk.valid = {16384, 16384};
  CHECK_THROWS_WITH_AS(check_chunk_bytes(chunk_layout(chunk, false, 1000, "a"), "a"),
                       doctest::Contains("20 bytes cannot hold 536870912"), FormatError);
  chunk.shape[0] = 4;
  chunk.band_offsets = chunk.band_lengths = {0, 0, 0, 0};
  CHECK_THROWS_WITH_AS(check_chunk_bytes(chunk_layout(chunk, false, 1000, "a"), "a"),
                       doctest::Contains("pixels that are not stored"), FormatError);
  check_chunk_bytes(chunk_layout(good(), false, 1000, "a"), "a");
}

TEST_CASE("the layout of a chunk is cut out of the layout of its TIFF") {
  TiffLayout whole{.width = 40,
                   .height = 20,
                   .bands = 2,
                   .is_planar = true,
                   .is_tiled = true,
                   .block_width = 16,
                   .block_height = 16};
  for (uint64_t i = 0; i < 12; ++i) whole.blocks.push_back({100 + 10 * i, 10});
  const TiffLayout last = chunk_layout(whole, 5, false, "a");
  CHECK(last.width == 8);
  CHECK(last.height == 4);
  CHECK(last.blocks == std::vector<ByteRange>{{150, 10}, {210, 10}});
  CHECK(chunk_layout(whole, 5, true, "a").width == 16);
  CHECK_THROWS_AS(chunk_layout(whole, 6, false, "a"), QueryError);
  TiffLayout strips{.width = 40, .height = 20, .block_width = 40, .block_height = 16, .blocks = {{8, 1}, {9, 1}}};
  strips.bands = 1;
  CHECK(chunk_layout(strips, 1, true, "a").block_height == 4);
}

TEST_CASE("omitted bands are read as no-data") {
  const std::vector<uint16_t> values(16 * 32, 5);
  Bytes bytes(100);
  const Bytes block = compress_zstd(std::as_bytes(std::span(values)), 3);
  bytes.insert(bytes.end(), block.begin(), block.end());
  v1::Chunk chunk = good();
  chunk.predictor = 1;
  chunk.band_lengths = {static_cast<int64_t>(block.size()), 0};
  const auto raster = make_tiff_raster(memory_source("a", bytes), chunk_layout(chunk, false, bytes.size(), "a"), "a");
  const Tensor pixels = read_tensor(*raster);
  CHECK(pixels.shape() == Axes{2, 16, 7});
  CHECK(pixels.values<uint16_t>()[0] == 5);
  CHECK(pixels.values<uint16_t>()[16 * 7] == 3);
}

TEST_CASE("histogram counts are written as a TIFF in strips and read back") {
  for (const int bands : {1, 3}) {
    CAPTURE(bands);
    const auto row = [&](int64_t i) {
      std::vector<uint32_t> out(static_cast<std::size_t>(100 * bands));
      for (std::size_t k = 0; k < out.size(); ++k)
        out[k] = static_cast<uint32_t>(i * 7919 + static_cast<int64_t>(k * k));
      out[0] = UINT32_MAX;
      return out;
    };
    const Bytes bytes = encode_count_tiff(100, 200, bands, 2, row);
    CHECK(bytes == encode_count_tiff(100, 200, bands, 1, row));
    const auto source = memory_source("counts", bytes);
    const auto directory = read_tiff_directory(*source);
    REQUIRE(directory.unsupported.empty());
    CHECK(directory.layout.block_height == (bands == 1 ? 163 : 54));
    CHECK(!directory.layout.is_planar);
    const Tensor pixels = read_tensor(*make_tiff_raster(source, directory.layout, "counts"));
    REQUIRE(pixels.shape() == Axes{bands, 200, 100});
    for (const int64_t i : {0, 53, 54, 162, 163, 199}) {
      const auto expected = row(i);
      for (std::size_t band = 0; band < static_cast<std::size_t>(bands); ++band) {
        const auto found = pixels.values<uint32_t>().subspan((band * 200 + static_cast<std::size_t>(i)) * 100, 100);
        for (std::size_t bin = 0; bin < 100; ++bin)
          if (found[bin] != expected[bin * static_cast<std::size_t>(bands) + band]) FAIL("bin " << bin);
      }
    }
  }
}

}  // namespace
}  // namespace tacore
