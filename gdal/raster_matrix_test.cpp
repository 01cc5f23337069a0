#include <cpl_string.h>
#include <doctest/doctest.h>
#include <gdal.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "gdal_error.hpp"
#include "support/support.hpp"
#include "tacore/error.hpp"
#include "tacore/raster/raster.hpp"

// What tacore's own decoder reads, beside GDAL: every kind of TIFF that GDAL writes, and the files of ../shared.
namespace {

using namespace tacore;
using Pixels = std::vector<std::byte>;

constexpr int kWidth = 53, kHeight = 37;

struct Close {
  void operator()(void* dataset) const { GDALClose(dataset); }
};
using Dataset = std::unique_ptr<void, Close>;

struct Type {
  DataType ours;
  GDALDataType gdal;
};
constexpr Type kTypes[] = {{DataType::UInt8, GDT_Byte},      {DataType::Int8, GDT_Byte},
                           {DataType::UInt16, GDT_UInt16},   {DataType::Int16, GDT_Int16},
                           {DataType::UInt32, GDT_UInt32},   {DataType::Int32, GDT_Int32},
                           {DataType::UInt64, GDT_UInt64},   {DataType::Int64, GDT_Int64},
                           {DataType::Float32, GDT_Float32}, {DataType::Float64, GDT_Float64}};

struct Blocks {
  bool is_tiled;
  int width, height;
};
constexpr Blocks kBlocks[] = {
    {true, 16, 16}, {true, 32, 48}, {false, kWidth, 1}, {false, kWidth, 7}, {false, kWidth, kHeight}};

/// How a file is written. The first row decides how pixels are decoded, the second where they are in the file.
struct Kind {
  Type type;
  const char* compression;
  int predictor;
  const char* interleave;
  Blocks blocks;
  bool is_big_endian;
  int bands;
  bool is_bigtiff = false, is_sparse = false, has_nodata = false;
};

bool is_float(DataType type) { return type == DataType::Float32 || type == DataType::Float64; }

std::string describe(const Kind& kind) {
  return std::string(to_string(kind.type.ours)) + " " + kind.compression + " predictor " +
         std::to_string(kind.predictor) + " " + kind.interleave + (kind.blocks.is_tiled ? " tiles " : " strips ") +
         std::to_string(kind.blocks.width) + "x" + std::to_string(kind.blocks.height) +
         (kind.is_big_endian ? " big-endian " : " little-endian ") + std::to_string(kind.bands) + " bands" +
         (kind.is_bigtiff ? " BigTIFF" : "") + (kind.is_sparse ? " sparse" : "") + (kind.has_nodata ? " no-data" : "");
}

/// Low bytes that grow as in imagery, with every fourth row being noise (NaN and infinity among it).
Pixels made_pixels(const Kind& kind) {
  std::mt19937 random(7);
  const std::size_t size = size_of(kind.type.ours);
  Pixels out;
  for (int band = 0; band < kind.bands; ++band) {
    for (int y = 0; y < kHeight; ++y) {
      for (int x = 0; x < kWidth; ++x) {
        for (std::size_t k = 0; k < size; ++k) {
          const int smooth = k == 0 ? 3 * x + 5 * y + 11 * band : y / 8;
          out.push_back(static_cast<std::byte>(y % 4 == 3 ? static_cast<int>(random() % 256) : smooth));
        }
      }
    }
  }
  return out;
}

CPLStringList options_of(const Kind& kind) {
  CPLStringList out;
  out.SetNameValue("COMPRESS", kind.compression);
  out.SetNameValue("ZSTD_LEVEL", "1");
  out.SetNameValue("ZLEVEL", "1");
  out.SetNameValue("PREDICTOR", std::to_string(kind.predictor).c_str());
  out.SetNameValue("INTERLEAVE", kind.interleave);
  out.SetNameValue("TILED", kind.blocks.is_tiled ? "YES" : "NO");
  if (kind.blocks.is_tiled) out.SetNameValue("BLOCKXSIZE", std::to_string(kind.blocks.width).c_str());
  out.SetNameValue("BLOCKYSIZE", std::to_string(kind.blocks.height).c_str());
  out.SetNameValue("ENDIANNESS", kind.is_big_endian ? "BIG" : "LITTLE");
  out.SetNameValue("BIGTIFF", kind.is_bigtiff ? "YES" : "NO");
  out.SetNameValue("SPARSE_OK", kind.is_sparse ? "YES" : "NO");
  if (kind.type.ours == DataType::Int8) out.SetNameValue("PIXELTYPE", "SIGNEDBYTE");
  return out;
}

void set_nodata(GDALDatasetH dataset, const Type& type) {
  const GDALRasterBandH band = GDALGetRasterBand(dataset, 1);
  if (type.gdal == GDT_Int64) {
    GDALSetRasterNoDataValueAsInt64(band, 7);
  } else if (type.gdal == GDT_UInt64) {
    GDALSetRasterNoDataValueAsUInt64(band, 7);
  } else {
    GDALSetRasterNoDataValue(band, is_float(type.ours) ? -9999.5 : 7);
  }
}

/// A sparse file gets its first rows and columns only.
void write(const std::string& path, const Kind& kind) {
  GDALDriverH driver = GDALGetDriverByName("GTiff");
  const Dataset out(
      GDALCreate(driver, path.c_str(), kWidth, kHeight, kind.bands, kind.type.gdal, options_of(kind).List()));
  REQUIRE(out);
  if (kind.has_nodata) set_nodata(out.get(), kind.type);
  Pixels pixels = made_pixels(kind);
  const int width = kind.is_sparse ? 20 : kWidth, height = kind.is_sparse ? 18 : kHeight;
  const auto size = static_cast<GSpacing>(size_of(kind.type.ours));
  REQUIRE(GDALDatasetRasterIOEx(out.get(), GF_Write, 0, 0, width, height, pixels.data(), width, height, kind.type.gdal,
                                kind.bands, nullptr, size, size * kWidth, size * kWidth * kHeight, nullptr) == CE_None);
}

Pixels room_for(std::size_t bands, const Window& window, DataType type) {
  return Pixels(bands * static_cast<std::size_t>(window.width * window.height) * size_of(type), std::byte{0xAB});
}

/// False when GDAL cannot read it.
bool gdal_reads(GDALDatasetH dataset, std::vector<int> bands, const Window& window, Pixels& out) {
  const GDALDataType type = GDALGetRasterDataType(GDALGetRasterBand(dataset, 1));
  const auto width = static_cast<int>(window.width), height = static_cast<int>(window.height);
  return GDALDatasetRasterIO(dataset, GF_Read, static_cast<int>(window.x), static_cast<int>(window.y), width, height,
                             out.data(), width, height, type, static_cast<int>(bands.size()), bands.data(), 0, 0,
                             0) == CE_None;
}

bool is_same(const Raster& ours, GDALDatasetH theirs, const std::vector<int>& bands, const Window& window) {
  Pixels found = room_for(bands.size(), window, ours.info().type);
  Pixels expected = found;
  ours.read(bands, window, found);
  REQUIRE(gdal_reads(theirs, bands, window, expected));
  return found == expected;
}

std::vector<int> all_bands(int count) {
  std::vector<int> out;
  for (int band = 1; band <= count; ++band) out.push_back(band);
  return out;
}

Window any_window(std::mt19937& random, int64_t width, int64_t height) {
  const auto below = [&](int64_t end) { return static_cast<int64_t>(random() % static_cast<uint64_t>(end)); };
  const int64_t x = below(width), y = below(height);
  return {x, y, 1 + below(width - x), 1 + below(height - y)};
}

/// Everything, each band, parts of the last band and parts of all bands in another order.
void compare_pixels(const Raster& ours, GDALDatasetH theirs, std::mt19937& random) {
  const RasterInfo& info = ours.info();
  const Window whole{0, 0, info.width, info.height};
  std::vector<int> bands = all_bands(info.bands);
  CHECK(is_same(ours, theirs, bands, whole));
  for (const int band : bands) CHECK(is_same(ours, theirs, {band}, whole));
  std::reverse(bands.begin(), bands.end());
  for (int i = 0; i < 2; ++i) {
    const Window window = any_window(random, info.width, info.height);
    INFO("window ", window.x, ", ", window.y, ", ", window.width, " x ", window.height);
    CHECK(is_same(ours, theirs, {info.bands}, window));
    CHECK(is_same(ours, theirs, bands, window));
  }
}

void compare_info(const RasterInfo& info, const Kind& kind) {
  CHECK(info.width == kWidth);
  CHECK(info.height == kHeight);
  CHECK(info.bands == kind.bands);
  CHECK(info.type == kind.type.ours);
  CHECK(info.compression == kind.compression);
  CHECK(info.predictor == kind.predictor);
  CHECK(info.block_width == kind.blocks.width);
  CHECK(info.block_height == kind.blocks.height);
  if (kind.bands > 1) CHECK(info.interleave == kind.interleave);
  CHECK(info.nodata.has_value() == kind.has_nodata);
  if (kind.has_nodata) CHECK(*info.nodata == (is_float(kind.type.ours) ? -9999.5 : 7));
}

/// A temporary folder, removed at the end.
struct Folder {
  std::string path = (std::filesystem::temp_directory_path() / "tacore-matrix-XXXXXX").string();
  Folder() { REQUIRE(::mkdtemp(path.data())); }
  ~Folder() { std::filesystem::remove_all(path); }
};

struct Codec {
  const char* compression;
  int predictor;
};

std::vector<Codec> codecs_of(DataType type) {
  std::vector<Codec> out{{"NONE", 1}};
  for (const char* compression : {"ZSTD", "DEFLATE", "LZW"}) {
    for (int predictor = 1; predictor <= (is_float(type) ? 3 : 2); ++predictor) out.push_back({compression, predictor});
  }
  return out;
}

std::vector<Kind> kinds_of(Type type) {
  std::vector<Kind> out;
  for (const Codec codec : codecs_of(type.ours)) {
    for (const Blocks& blocks : kBlocks) {
      for (const bool is_big_endian : {false, true}) {
        for (const int bands : {1, 3, 5}) {
          for (const char* interleave : {"PIXEL", "BAND"}) {
            if (bands == 1 && interleave == std::string("PIXEL")) continue;
            out.push_back({type, codec.compression, codec.predictor, interleave, blocks, is_big_endian, bands});
          }
        }
      }
    }
  }
  return out;
}

struct Scene {
  const Folder folder = {};
  const std::string path = folder.path + "/a.tif";
  std::mt19937 random = std::mt19937(1);

  Scene() { GDALAllRegister(); }

  void compare(const Kind& kind) {
    CAPTURE(describe(kind));
    write(path, kind);
    const Dataset theirs(GDALOpen(path.c_str(), GA_ReadOnly));
    const auto ours = open_raster(path);
    compare_info(ours->info(), kind);
    compare_pixels(*ours, theirs.get(), random);
  }
};

struct Read {
  RasterInfo info;
  Pixels pixels;
};

/// Nothing when it is refused, or too large to be looked at.
std::optional<Read> read_small(const std::string& path) {
  try {
    const auto raster = open_raster(path);
    const RasterInfo info = raster->info();
    if (info.width * info.height > 1 << 16 || info.bands > 5) return std::nullopt;
    Pixels out = room_for(static_cast<std::size_t>(info.bands), {0, 0, info.width, info.height}, info.type);
    raster->read(all_bands(info.bands), {0, 0, info.width, info.height}, out);
    return Read{info, std::move(out)};
  } catch (const Error&) {
    return std::nullopt;
  }
}

void put_at(Kind& kind, uint32_t place) {
  kind.is_bigtiff = (place & 1) != 0;
  kind.is_sparse = (place & 2) != 0;
  kind.has_nodata = (place & 4) != 0;
}

}  // namespace

// Each in a random one of eight combinations of BigTIFF, sparse and no data; the next test has all for some of them.
TEST_CASE("every kind of TIFF that GDAL writes has the pixels that GDAL reads") {
  Scene scene;
  std::size_t count = 0;
  for (const Type& type : kTypes) {
    for (Kind kind : kinds_of(type)) {
      put_at(kind, static_cast<uint32_t>(scene.random()));
      scene.compare(kind);
      ++count;
    }
  }
  CHECK(count == 8 * 350 + 2 * 500);
}

TEST_CASE("BigTIFF, missing blocks and no-data values are read with the pixels that GDAL reads") {
  Scene scene;
  for (const auto& [type, predictor] : {std::pair{kTypes[2], 2}, {kTypes[8], 3}, {kTypes[9], 1}}) {
    for (Kind kind : kinds_of(type)) {
      if (kind.predictor != predictor || kind.bands != 3 || kind.compression == std::string("LZW")) continue;
      for (uint32_t place = 0; place < 8; ++place) {
        put_at(kind, place);
        scene.compare(kind);
      }
    }
  }
}

TEST_CASE("missing blocks are filled with the no-data value as GDAL converts it, also where the type cannot hold it") {
  const Scene scene;
  for (const Type& type : kTypes) {
    // GDAL 3.6 has no signed bytes: it would fill with what -1 is as an unsigned one.
    if (type.ours == DataType::Int8 || type.gdal == GDT_Int64 || type.gdal == GDT_UInt64) continue;
    for (const char* nodata : {"-9999", "255", "1e30", "0.5", "2.5", "-0.5", "nan", "inf", "-inf", "70000", "0"}) {
      const Kind kind{.type = type,
                      .compression = "DEFLATE",
                      .predictor = 1,
                      .interleave = "BAND",
                      .blocks = kBlocks[0],
                      .is_big_endian = false,
                      .bands = 1,
                      .is_sparse = true};
      CAPTURE(describe(kind));
      CAPTURE(std::string(nodata));
      write(scene.path, kind);
      {
        const Dataset out(GDALOpen(scene.path.c_str(), GA_Update));
        GDALSetRasterNoDataValue(GDALGetRasterBand(out.get(), 1), CPLAtof(nodata));
      }
      const Dataset theirs(GDALOpen(scene.path.c_str(), GA_ReadOnly));
      CHECK(is_same(*open_raster(scene.path), theirs.get(), {1}, {0, 0, kWidth, kHeight}));
    }
  }
}

TEST_CASE("missing blocks are filled with 64-bit no-data values exactly") {
  const Scene scene;
  for (const auto& [type, nodata] : {std::pair{kTypes[6], "18446744073709551615"},
                                     {kTypes[7], "-9223372036854775807"},
                                     {kTypes[7], "9007199254740993"}}) {
    const Kind kind{.type = type,
                    .compression = "ZSTD",
                    .predictor = 1,
                    .interleave = "BAND",
                    .blocks = kBlocks[0],
                    .is_big_endian = false,
                    .bands = 1,
                    .is_sparse = true};
    CAPTURE(std::string(nodata));
    write(scene.path, kind);
    {
      const Dataset out(GDALOpen(scene.path.c_str(), GA_Update));
      const GDALRasterBandH band = GDALGetRasterBand(out.get(), 1);
      if (type.gdal == GDT_UInt64) {
        GDALSetRasterNoDataValueAsUInt64(band, std::stoull(nodata));
      } else {
        GDALSetRasterNoDataValueAsInt64(band, std::stoll(nodata));
      }
    }
    const Dataset theirs(GDALOpen(scene.path.c_str(), GA_ReadOnly));
    CHECK(is_same(*open_raster(scene.path), theirs.get(), {1}, {0, 0, kWidth, kHeight}));
  }
}

TEST_CASE("foreign imagery has the pixels that GDAL reads, or is refused" * doctest::test_suite("external")) {
  GDALAllRegister();
  const gdal::Quiet quiet;
  std::mt19937 random(1);
  std::set<std::string> refused;
  for (const char* name : {"imagery", "golden/tog"}) {
    const std::filesystem::path folder = std::filesystem::path(TACORE_SHARED_DIR) / name;
    if (missing(folder)) return;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      CAPTURE(entry.path().string());
      const Dataset theirs(GDALOpen(entry.path().c_str(), GA_ReadOnly));
      REQUIRE(theirs);
      try {
        const auto ours = open_raster(entry.path());
        compare_pixels(*ours, theirs.get(), random);
      } catch (const FormatError&) {
        refused.insert(entry.path().filename());
      }
    }
  }
  CHECK(refused == std::set<std::string>{"corrupt.tif", "goes.tif"});  // JPEG
}

// Pixels that tacore does not refuse must equal those of GDAL. Blocks that GDAL cannot decode are not compared.
TEST_CASE("damaged TIFFs have the pixels that GDAL reads, or are refused") {
  const Scene scene;
  const gdal::Quiet quiet;
  std::mt19937 random(1);
  int same = 0;
  for (const auto& entry : std::filesystem::directory_iterator(TACORE_SOURCE_DIR "/tests/fuzz/corpus/tiff")) {
    if (!entry.path().filename().string().starts_with("good-")) continue;
    std::ifstream in(entry.path(), std::ios::binary);
    const std::string good(std::istreambuf_iterator<char>(in), {});
    for (int round = 0; round < 150; ++round) {
      std::string bad = good;
      // The first bytes, with the directory, are changed more often.
      const std::size_t end = round % 3 == 0 ? bad.size() : std::min<std::size_t>(bad.size(), 300);
      bad[random() % end] = static_cast<char>(random());
      std::ofstream(scene.path, std::ios::binary) << bad;
      CAPTURE(entry.path().filename().string());
      CAPTURE(round);
      if (const auto ours = read_small(scene.path)) {
        const Dataset theirs(GDALOpen(scene.path.c_str(), GA_ReadOnly));
        Pixels expected = ours->pixels;
        if (!theirs || GDALGetRasterXSize(theirs.get()) != ours->info.width ||
            GDALGetRasterCount(theirs.get()) != ours->info.bands) {
          continue;
        }
        if (!gdal_reads(theirs.get(), all_bands(ours->info.bands), {0, 0, ours->info.width, ours->info.height},
                        expected))
          continue;
        CHECK(ours->pixels == expected);
        ++same;
      }
    }
  }
  CHECK(same > 500);
}
