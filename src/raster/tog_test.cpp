#include "raster/tog.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <numeric>

#include "base/text.hpp"
#include "io/memory_source.hpp"
#include "raster/tacotiff_header.hpp"
#include "raster/tiff_directory.hpp"
#include "support/raster_data.hpp"
#include "support/support.hpp"
#include "tacore/error.hpp"

using namespace tacore;

namespace {

const std::string kGolden = TACORE_SHARED_DIR "/golden/tog/";

Bytes bytes_of(const std::string& path) { return local_storage()->open(path)->read_all(); }

std::vector<int> all_bands(const Raster& raster) {
  std::vector<int> out(static_cast<std::size_t>(raster.info().bands));
  std::iota(out.begin(), out.end(), 1);
  return out;
}

Bytes pixels_of(const std::string& path) {
  const auto raster = open_raster(path);
  const auto& info = raster->info();
  Bytes out(static_cast<std::size_t>(info.width * info.height * info.bands) * size_of(info.type));
  raster->read(all_bands(*raster), {0, 0, info.width, info.height}, out);
  return out;
}

/// What GDAL 3.13 made of which raster.
struct Golden {
  const char* tog;
  const char* source;
  int64_t block_size;
};
constexpr Golden kGoldens[] = {
    {"L7_ETMs_b128.tog.tif", "L7_ETMs.tif", 128},
    {"L7_ETMs_b16.tog.tif", "L7_ETMs.tif", 16},
    {"L7_ETMs_b64.tog.tif", "L7_ETMs.tif", 64},
    {"RGBA.uint16_b256.tog.tif", "RGBA.uint16.tif", 256},
    {"cog_int16_b512.tog.tif", "cog_int16.tif", 512},
    {"olinda_dem_utm25s_b16.tog.tif", "olinda_dem_utm25s.tif", 16},
    {"rgb_256x256_b128.tog.tif", "rgb_256x256.tif", 128},
};

/// Fields of the only directory of a little-endian BigTIFF: tag, type, count and where the values are; then the values
/// of all but the places and sizes of tiles, which depend on the version of ZSTD.
std::vector<std::string> structure_of(const Bytes& file) {
  const auto number = [&](std::size_t at, std::size_t size) {
    uint64_t out = 0;
    std::memcpy(&out, file.data() + at, size);
    return out;
  };
  std::vector<std::string> out{std::string(reinterpret_cast<const char*>(file.data()), number(8, 8))};
  const std::size_t begin = number(8, 8), count = number(begin, 8);
  for (std::size_t i = 0; i <= count; ++i) {
    const std::size_t at = begin + 8 + 20 * i;
    if (i == count) {
      out.push_back("next " + std::to_string(number(at, 8)));
      break;
    }
    const uint64_t tag = number(at, 2), type = number(at + 2, 2), num_values = number(at + 4, 8);
    const uint64_t size = num_values * (type == 2 ? 1 : type == 3 ? 2 : type == 4 ? 4 : 8);
    const std::size_t place = size > 8 ? number(at + 12, 8) : at + 12;
    std::string text = std::to_string(tag) + " " + std::to_string(type) + " " + std::to_string(num_values) + " at " +
                       std::to_string(place) + ": ";
    if (tag != 324 && tag != 325) text += base64(std::span(file).subspan(place, size));
    out.push_back(std::move(text));
  }
  return out;
}

std::string faults_of(const std::string& path) { return join(check_tacotiff(path), "; "); }

Bytes patched(Bytes bytes, std::size_t at, std::initializer_list<int> values) {
  for (const int value : values) bytes[at++] = static_cast<std::byte>(value);
  return bytes;
}

}  // namespace

TEST_CASE("a TOG has the structure of GDAL's, field by field, and the same pixels" * doctest::test_suite("external")) {
  if (missing(kGolden)) return;
  const TemporaryFolder folder;
  int num_identical = 0;
  for (const auto& golden : kGoldens) {
    CAPTURE(golden.tog);
    const std::string out = folder.path(golden.tog);
    make_tog(kImagery + golden.source, out, {.block_size = golden.block_size});
    const Bytes ours = bytes_of(out), theirs = bytes_of(kGolden + golden.tog);
    CHECK(structure_of(ours) == structure_of(theirs));
    CHECK(pixels_of(out) == pixels_of(kGolden + golden.tog));
    CHECK(pixels_of(out) == pixels_of(kImagery + golden.source));
    CHECK(faults_of(out).empty());
    num_identical += ours == theirs;
  }
  MESSAGE(num_identical << " of " << std::size(kGoldens) << " files are the same to the last byte");
}

TEST_CASE("a TIFF that GDAL wrote as a TOG is a TacoTIFF" * doctest::test_suite("external")) {
  if (missing(kGolden)) return;
  for (const auto& golden : kGoldens) {
    CAPTURE(golden.tog);
    CHECK(faults_of(kGolden + golden.tog).empty());
  }
  for (const char* name : {"rgb_256x256", "single_band_128x128", "multitemporal_64x64", "categorical_128x128"}) {
    CAPTURE(name);
    CHECK(faults_of(kImagery + name + ".tif").empty());
  }
}

TEST_CASE("pixels of every type, and of images that are not a multiple of a tile, are unchanged") {
  const TemporaryFolder folder;
  for (int i = 0; i <= static_cast<int>(DataType::Float64); ++i) {
    const auto type = static_cast<DataType>(i);
    for (const int predictor : {0, 1, 2, 3}) {
      const bool is_floating = type == DataType::Float32 || type == DataType::Float64;
      if (predictor == 3 && !is_floating) continue;
      CAPTURE(to_string(type));
      CAPTURE(predictor);
      const std::string in = write_plain_tiff(folder.path("in.tif"), 37, 21, 3, 0, type);
      TogOptions options{.block_size = 16, .zstd_level = 1, .overwrite = true};
      if (predictor != 0) options.predictor = predictor;
      make_tog(in, folder.path("out.tif"), options);
      CHECK(pixels_of(folder.path("out.tif")) == pixels_of(in));
      const auto info = open_raster(folder.path("out.tif"))->info();
      CHECK(info.type == type);
      CHECK(info.predictor == (predictor != 0 ? predictor : is_floating ? 3 : 2));
      CHECK(info.nodata == 7);
      CHECK(info.interleave == "TILE");
      CHECK(faults_of(folder.path("out.tif")).empty());
    }
  }
}

TEST_CASE("a TOG has a TacoTIFF header") {
  const TemporaryFolder folder;
  write_plain_tiff(folder.path("in.tif"), 70, 33, 4, 0, DataType::UInt16);
  make_tog(folder.path("in.tif"), folder.path("out.tif"), {.block_size = 32});
  const auto source = local_storage()->open(folder.path("out.tif"));
  const auto layout = read_tiff_directory(*source).layout;
  CHECK(why_no_tacotiff_header(layout).empty());
  CHECK(decode_tacotiff_header(encode_tacotiff_header(layout), source->size(), "a").blocks == layout.blocks);
}

TEST_CASE("a TOG of a byte range of a file keeps its georeference" * doctest::test_suite("external")) {
  if (missing(kImagery)) return;
  const TemporaryFolder folder;
  const Bytes tiff = bytes_of(kImagery + "L7_ETMs.tif");
  std::ofstream file(folder.path("whole"), std::ios::binary);
  file << "in front";
  file.write(reinterpret_cast<const char*>(tiff.data()), static_cast<std::streamsize>(tiff.size()));
  file.close();
  make_tog("/vsisubfile/8_" + std::to_string(tiff.size()) + "," + folder.path("whole"), folder.path("part.tif"),
           {.block_size = 128});
  make_tog(kImagery + "L7_ETMs.tif", folder.path("file.tif"), {.block_size = 128});
  CHECK(bytes_of(folder.path("part.tif")) == bytes_of(folder.path("file.tif")));
}

TEST_CASE("a TOG made from a TOG is the same file") {
  const TemporaryFolder folder;
  write_plain_tiff(folder.path("in.tif"), 70, 33, 2, 0, DataType::Int32);
  make_tog(folder.path("in.tif"), folder.path("a.tif"), {.block_size = 32});
  make_tog(folder.path("a.tif"), folder.path("b.tif"), {.block_size = 32});
  CHECK(bytes_of(folder.path("a.tif")) == bytes_of(folder.path("b.tif")));
}

TEST_CASE("the bytes of a TOG do not depend on the number of threads") {
  const TemporaryFolder folder;
  // Two pieces of work and more: 16 MiB of pixels each.
  write_plain_tiff(folder.path("in.tif"), 1500, 1500, 2, 0, DataType::Float64);
  make_tog(folder.path("in.tif"), folder.path("a.tif"), {.task = {.jobs = 1}, .block_size = 256, .zstd_level = 1});
  make_tog(folder.path("in.tif"), folder.path("b.tif"), {.task = {.jobs = 4}, .block_size = 256, .zstd_level = 1});
  CHECK(bytes_of(folder.path("a.tif")) == bytes_of(folder.path("b.tif")));
  CHECK(pixels_of(folder.path("a.tif")) == pixels_of(folder.path("in.tif")));
}

TEST_CASE("invalid options are refused, and existing files are kept") {
  const TemporaryFolder folder;
  const std::string in = write_plain_tiff(folder.path("in.tif"), 40, 20, 1, 0, DataType::UInt8);
  const std::string out = folder.path("out.tif");
  const auto message = [&](const TogOptions& options) -> std::string {
    try {
      make_tog(in, out, options);
    } catch (const QueryError& error) {
      return error.message();
    }
    return "no error";
  };
  CHECK(has_text(message({.block_size = 0}), "a multiple of 16"));
  CHECK(has_text(message({.block_size = 100}), "a multiple of 16"));
  CHECK(has_text(message({.block_size = 65536}), "up to 65520"));
  CHECK(has_text(message({.block_size = 65520}), "more than 2 GiB"));
  CHECK(has_text(message({.zstd_level = 23}), "1 to 22"));
  CHECK(has_text(message({.predictor = 3}), "predictor 3"));
  CHECK_FALSE(std::filesystem::exists(out));
  make_tog(in, out, {.block_size = 16});
  const Bytes before = bytes_of(out);
  CHECK_THROWS_AS(make_tog(in, out, {.block_size = 32}), Error);
  CHECK(bytes_of(out) == before);
}

TEST_CASE("an image of too many tiles is refused before memory is allocated for them") {
  const TemporaryFolder folder;
  constexpr uint64_t kTiles = 1 << 20;  // of 2^15 x 2^15 pixels, none of which is stored
  TiffFields fields;
  fields.number(TiffTag::Width, 1 << 30);
  fields.number(TiffTag::Height, 1 << 20);
  fields.number(TiffTag::BitsPerSample, 8);
  fields.number(TiffTag::TileWidth, 1 << 15);
  fields.number(TiffTag::TileHeight, 1 << 15);
  fields.shorts(TiffTag::TileOffsets, std::vector<uint16_t>(kTiles));
  fields.shorts(TiffTag::TileByteCounts, std::vector<uint16_t>(kTiles));
  Bytes bytes = big_tiff_header(kBigTiffHeader, false);
  const Bytes directory = fields.encode(kBigTiffHeader);
  bytes.insert(bytes.end(), directory.begin(), directory.end());
  std::ofstream(folder.path("in.tif"), std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  CHECK_THROWS_WITH_AS(make_tog(folder.path("in.tif"), folder.path("out.tif"), {.block_size = 16}),
                       doctest::Contains("at most 2^32 - 1"), QueryError);
}

TEST_CASE("a TOG that is cancelled or fails leaves no file") {
  const TemporaryFolder folder;
  const std::string in = write_plain_tiff(folder.path("in.tif"), 400, 200, 1, 0, DataType::UInt8);
  const auto stop = [](uint64_t, uint64_t, void*) { return false; };
  CHECK_THROWS_AS(make_tog(in, folder.path("out.tif"), {.task = {.progress = stop}}), IoError);
  std::filesystem::resize_file(in, 5000);
  CHECK_THROWS_AS(make_tog(in, folder.path("out.tif")), FormatError);
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
}

TEST_CASE("all reasons why a file is not a TacoTIFF are reported") {
  const TemporaryFolder folder;
  const std::string in = write_plain_tiff(folder.path("in.tif"), 40, 20, 2, 0, DataType::UInt8);
  CHECK(faults_of(in) ==
        "has no INTERLEAVE=TILE in its GDAL metadata; is not compressed with ZSTD; is not tiled; has planar "
        "configuration 1 (pixel-interleaved), not 2");
  const std::string path = folder.path("out.tif");
  make_tog(in, path, {.block_size = 32});
  const Bytes good = bytes_of(path);
  const auto layout = read_tiff_directory(*local_storage()->open(path)).layout;
  const auto faults = [&](const Bytes& bytes) { return join(check_tacotiff(*memory_source("a", bytes)), "; "); };
  CHECK(faults(good).empty());
  const std::size_t tile = layout.blocks[1].offset, end = tile + layout.blocks[1].size;
  CHECK(faults(patched(good, tile - 4, {1, 0, 0, 0})).find("states 1 bytes in front of tile 1") == 0);
  const int last = static_cast<int>(good[end + 3]);
  CHECK(faults(patched(good, end + 3, {last ^ 1})) == "does not repeat the last bytes of tile 1 behind it");
  Bytes cut = good;
  cut.resize(good.size() - 1);
  CHECK(faults(cut) == "has a tile without room for its leader and trailer");
  cut.resize(100);
  CHECK(faults(cut).find("is broken: ") == 0);
  CHECK(faults(Bytes(50)).find("is broken: ") == 0);
}
