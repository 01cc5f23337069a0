#include "raster/tog.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <numeric>
#include <utility>

#include "base/little_endian.hpp"
#include "base/report.hpp"
#include "base/threads.hpp"
#include "io/output_file.hpp"
#include "raster/codecs.hpp"
#include "raster/row_source.hpp"
#include "raster/tiff_directory.hpp"
#include "raster/tiff_fields.hpp"
#include "tacore/error.hpp"
#include "tacore/plumbing/apart.hpp"

namespace tacore {
namespace {

/// Pixels that are read and compressed as one piece of work, and those of all pieces in progress.
constexpr uint64_t kPieceBytes = uint64_t{16} << 20;
constexpr uint64_t kBytesUnderWay = uint64_t{128} << 20;
constexpr uint64_t kMostTileBytes = uint64_t{1} << 31;
constexpr int64_t kMostBlockSize = 65520;  // a TacoTIFF header has 16 bits for it
/// The 4 bytes before each tile that hold its size, and the 4 behind it that repeat its last ones.
constexpr uint64_t kFrame = 4;

/// Everything that is written except the bytes of the tiles.
struct Plan {
  RasterInfo image = {};
  TiffDirectory tags = {};  ///< of the input; `layout` is not used
  int64_t block_size = 0;
  int predictor = 1;

  int64_t across() const { return (image.width + block_size - 1) / block_size; }
  int64_t down() const { return (image.height + block_size - 1) / block_size; }
  uint64_t tile_bytes() const { return static_cast<uint64_t>(block_size * block_size) * size_of(image.type); }
  std::size_t num_tiles() const { return static_cast<std::size_t>(across() * down() * image.bands); }
};

/// The tiles of all bands at `num_columns` neighbouring positions in a row of tiles.
struct Piece {
  int64_t row, column, num_columns;
};

/// The block size of the source if it is tiled. A small image gets one tile, with no more padding than necessary.
int64_t natural_block_size(const RasterInfo& info) {
  const bool has_tiles =
      info.block_width == info.block_height && info.block_width % 16 == 0 && info.block_width != info.width;
  return std::min<int64_t>(has_tiles ? info.block_width : TogOptions().block_size,
                           (std::max(info.width, info.height) + 15) / 16 * 16);
}

bool is_floating(DataType type) { return type == DataType::Float32 || type == DataType::Float64; }

void check_options(const TogOptions& options, const RasterInfo& image) {
  check_tog_options(options);
  const auto pixels = static_cast<uint64_t>(options.block_size) * static_cast<uint64_t>(options.block_size);
  if (pixels * size_of(image.type) > kMostTileBytes) {
    throw QueryError("block size " + std::to_string(options.block_size) + ": a tile has more than 2 GiB");
  }
  if (options.predictor == 3 && !is_floating(image.type)) {
    throw QueryError("predictor 3: 1, 2, or 3 for floating point expected, for " + std::string(to_string(image.type)));
  }
}

/// The properties of `raster` beside its pixels, for one that is no TIFF.
TiffDirectory tags_of(const Raster& raster) {
  const Georeference where = raster.georeference();
  if (!where.crs.empty()) {
    throw SchemaError("has a CRS that is only copied from TIFFs; convert the raster to a GeoTIFF first",
                      {.path = raster.name()});
  }
  TiffDirectory out;
  if (!where.geotransform) return out;
  const auto& to = *where.geotransform;
  out.transformation = {to[1], to[2], 0, to[0], to[4], to[5], 0, to[3], 0, 0, 0, 0, 0, 0, 0, 1};
  out.geo_keys = {1, 1, 0, 1, 1025, 0, 1, 1};  // GTRasterTypeGeoKey: pixels are areas
  return out;
}

TiffDirectory tags_of(const std::string& path, const Raster& raster) {
  if (is_of_gdal(path)) return tags_of(raster);
  const auto source = open_bytes(path);
  if (!is_tiff(source->read({0, std::min<uint64_t>(source->size(), 4)}))) return tags_of(raster);
  return read_tiff_directory(*source);
}

/// A TIFF that omits its tiles (sparse) can state any size at no cost.
void check_num_tiles(const Plan& plan) {
  constexpr uint64_t kMost = UINT32_MAX;  // a TacoTIFF header has 32 bits for it
  const auto places = static_cast<uint64_t>(plan.across()) * static_cast<uint64_t>(plan.down());
  if (places <= kMost / static_cast<uint64_t>(plan.image.bands)) return;
  throw QueryError("block size " + std::to_string(plan.block_size) + ": " + std::to_string(plan.image.bands) +
                   " bands of " + std::to_string(places) + " tiles each, at most 2^32 - 1 in all are possible");
}

Plan plan_of(const Raster& raster, const std::string& path, const TogOptions& options) {
  check_options(options, raster.info());
  Plan out{.image = raster.info(),
           .tags = tags_of(path, raster),
           .block_size = options.block_size,
           .predictor = options.predictor.value_or(is_floating(raster.info().type) ? 3 : 2)};
  check_num_tiles(out);
  return out;
}

// --- Before the tiles ---

/// The text by which GDAL knows that it may rely on the order of tiles. It says BAND for interleaved tiles, too.
std::string ghost_area(int bands) {
  std::string text =
      "LAYOUT=IFDS_BEFORE_DATA\nBLOCK_ORDER=ROW_MAJOR\nBLOCK_LEADER=SIZE_AS_UINT4\n"
      "BLOCK_TRAILER=LAST_4_BYTES_REPEATED\n";
  if (bands > 1) text += "INTERLEAVE=BAND\n";
  text += "KNOWN_INCOMPATIBLE_EDITION=NO\n ";
  std::string size = std::to_string(text.size());
  size.insert(0, 6 - size.size(), '0');
  std::string out = "GDAL_STRUCTURAL_METADATA_SIZE=" + size + " bytes\n" + text;
  if (out.size() % 2 != 0) out += '\0';
  return out;
}

/// The metadata of the input, and the item that tells GDAL the order of tiles.
std::string gdal_metadata(std::string xml) {
  static constexpr std::string_view kEnd = "</GDALMetadata>";
  // An item of that name comes from an input that is a TOG itself.
  if (const auto end = xml.rfind(kEnd); end != xml.npos) {
    return xml.find("name=\"INTERLEAVE\"") == xml.npos ? xml.insert(end, kTileInterleaveItem) : xml;
  }
  return "<GDALMetadata>\n" + std::string(kTileInterleaveItem) + std::string(kEnd) + "\n";
}

/// The photometric interpretation of grey, RGB and palette images is kept; what it requires must be present.
uint16_t photometric_of(const Plan& plan) {
  const TiffDirectory& tags = plan.tags;
  const bool is_colour = tags.photometric == 2 || tags.photometric == 6;
  if (is_colour && plan.image.bands >= 3) return 2;
  if (tags.photometric == 3 && !tags.color_map.empty()) return 3;
  return tags.photometric == 0 ? 0 : 1;
}

/// ExtraSamples: one value for each band beyond the colour bands.
std::vector<uint16_t> extra_samples(const Plan& plan, uint16_t photometric) {
  const auto count = static_cast<std::size_t>(plan.image.bands - (photometric == 2 ? 3 : 1));
  return plan.tags.extra_samples.size() == count ? plan.tags.extra_samples : std::vector<uint16_t>(count, 0);
}

std::string nodata_of(const Plan& plan) {
  if (!plan.tags.nodata_text.empty()) return plan.tags.nodata_text;
  if (!plan.image.nodata) return {};
  return nodata_text(*plan.image.nodata);
}

void add_georeference(TiffFields& out, const TiffDirectory& tags) {
  if (!tags.pixel_scale.empty()) out.doubles(TiffTag::ModelPixelScale, tags.pixel_scale);
  if (!tags.tiepoints.empty()) out.doubles(TiffTag::ModelTiepoint, tags.tiepoints);
  if (!tags.transformation.empty()) out.doubles(TiffTag::ModelTransformation, tags.transformation);
  if (!tags.geo_keys.empty()) {
    // The fourth number counts the keys, of four numbers each; some writers leave space behind them.
    const std::size_t used = tags.geo_keys.size() < 4 ? 0 : 4 + std::size_t{4} * tags.geo_keys[3];
    out.shorts(TiffTag::GeoKeyDirectory, std::span(tags.geo_keys).first(std::min(used, tags.geo_keys.size())));
  }
  if (!tags.geo_doubles.empty()) out.doubles(TiffTag::GeoDoubleParams, tags.geo_doubles);
  if (!tags.geo_ascii.empty()) out.text(TiffTag::GeoAsciiParams, tags.geo_ascii);
}

/// The byte counts of tiles, in the type that libtiff chooses: wide enough for a tile of ten times the size.
void add_byte_counts(TiffFields& out, const Plan& plan, const std::vector<ByteRange>& tiles) {
  std::vector<uint64_t> sizes;
  for (const ByteRange& tile : tiles) sizes.push_back(tile.size);
  if (tiles.size() == 1 || plan.tile_bytes() >= UINT32_MAX / 10) return out.long8s(TiffTag::TileByteCounts, sizes);
  if (plan.tile_bytes() >= UINT16_MAX / 10) {
    return out.longs(TiffTag::TileByteCounts, std::vector<uint32_t>(sizes.begin(), sizes.end()));
  }
  out.shorts(TiffTag::TileByteCounts, std::vector<uint16_t>(sizes.begin(), sizes.end()));
}

/// Tile offsets in the order in which GDAL writes values. `tiles` are band after band.
TiffFields fields_of(const Plan& plan, const std::vector<ByteRange>& tiles) {
  const auto bands = static_cast<std::size_t>(plan.image.bands);
  const auto repeated = [&](std::size_t value) { return std::vector<uint16_t>(bands, static_cast<uint16_t>(value)); };
  const uint16_t photometric = photometric_of(plan);
  TiffFields out;
  out.number(TiffTag::Width, static_cast<uint64_t>(plan.image.width));
  out.number(TiffTag::Height, static_cast<uint64_t>(plan.image.height));
  out.shorts(TiffTag::BitsPerSample, repeated(size_of(plan.image.type) * 8));
  out.number(TiffTag::Compression, tiff_compression(Compression::Zstd));
  out.number(TiffTag::Photometric, photometric);
  out.number(TiffTag::SamplesPerPixel, bands);
  out.number(TiffTag::PlanarConfiguration, 2);
  if (plan.predictor != 1) out.number(TiffTag::Predictor, static_cast<uint64_t>(plan.predictor));
  if (photometric == 3) out.shorts(TiffTag::ColorMap, plan.tags.color_map);
  out.number(TiffTag::TileWidth, static_cast<uint64_t>(plan.block_size));
  out.number(TiffTag::TileHeight, static_cast<uint64_t>(plan.block_size));
  if (const auto extra = extra_samples(plan, photometric); !extra.empty()) out.shorts(TiffTag::ExtraSamples, extra);
  out.shorts(TiffTag::SampleFormat, repeated(tiff_sample_format(plan.image.type)));
  out.text(TiffTag::GdalMetadata, gdal_metadata(plan.tags.gdal_metadata));
  if (const auto nodata = nodata_of(plan); !nodata.empty()) out.text(TiffTag::GdalNodata, nodata);
  add_georeference(out, plan.tags);
  std::vector<uint64_t> offsets;
  for (const ByteRange& tile : tiles) offsets.push_back(tile.offset);
  out.long8s(TiffTag::TileOffsets, offsets);
  add_byte_counts(out, plan, tiles);
  return out;
}

/// Everything before the first tile; its size depends on the number of tiles only.
Bytes head_of(const Plan& plan, const std::vector<ByteRange>& tiles) {
  const std::string ghost = ghost_area(plan.image.bands);
  const uint64_t directory = kBigTiffHeader + ghost.size();
  FieldWriter out;
  out.bytes(big_tiff_header(directory, false));
  out.text(ghost);
  out.bytes(fields_of(plan, tiles).encode(directory));
  return out.take();
}

// --- Tiles ---

std::vector<Piece> pieces_of(const Plan& plan) {
  const uint64_t place_bytes = plan.tile_bytes() * static_cast<uint64_t>(plan.image.bands);
  const auto most = static_cast<int64_t>(std::max<uint64_t>(1, kPieceBytes / place_bytes));
  std::vector<Piece> out;
  for (int64_t row = 0; row < plan.down(); ++row) {
    for (int64_t column = 0; column < plan.across(); column += most) {
      out.push_back({row, column, std::min(most, plan.across() - column)});
    }
  }
  return out;
}

Window window_of(const Plan& plan, const Piece& piece) {
  const int64_t x = piece.column * plan.block_size, y = piece.row * plan.block_size;
  return {.x = x,
          .y = y,
          .width = std::min(piece.num_columns * plan.block_size, plan.image.width - x),
          .height = std::min(plan.block_size, plan.image.height - y)};
}

/// The size of the pixels of a piece, all bands.
uint64_t bytes_of(const Plan& plan, const Piece& piece) {
  const Window window = window_of(plan, piece);
  return static_cast<uint64_t>(window.width * window.height * plan.image.bands) * size_of(plan.image.type);
}

/// A tile at the edge is whole: zeros fill it beyond the image.
Bytes compress_tile(const Plan& plan, std::span<const std::byte> pixels, const Window& window, int64_t x, int level) {
  const std::size_t size = size_of(plan.image.type);
  const auto row_size = static_cast<std::size_t>(plan.block_size) * size;
  const auto used = static_cast<std::size_t>(std::min(plan.block_size, window.width - x)) * size;
  Bytes tile(plan.tile_bytes()), scratch(row_size);
  for (std::size_t row = 0; row < static_cast<std::size_t>(plan.block_size); ++row) {
    const auto out = std::span(tile).subspan(row * row_size, row_size);
    if (row < static_cast<std::size_t>(window.height)) {
      const std::size_t from = (row * static_cast<std::size_t>(window.width) + static_cast<std::size_t>(x)) * size;
      std::memcpy(out.data(), pixels.data() + from, used);
    }
    apply_predictor(plan.predictor, out, size, scratch);
  }
  if (std::endian::native == std::endian::big && plan.predictor != 3) swap_bytes(tile, size);
  return compress_zstd(tile, level);
}

/// The tiles of a piece in file order: for each position those of all bands.
std::vector<Bytes> compress_piece(const Raster& raster, const Plan& plan, const Piece& piece, int level) {
  std::vector<int> bands(static_cast<std::size_t>(plan.image.bands));
  std::iota(bands.begin(), bands.end(), 1);
  const Window window = window_of(plan, piece);
  Bytes pixels(bytes_of(plan, piece));
  raster.read(bands, window, pixels);
  const std::size_t plane = pixels.size() / bands.size();
  std::vector<Bytes> out;
  for (int64_t column = 0; column < piece.num_columns; ++column) {
    for (std::size_t band = 0; band < bands.size(); ++band) {
      const auto of_band = std::span(pixels).subspan(band * plane, plane);
      out.push_back(compress_tile(plan, of_band, window, column * plan.block_size, level));
    }
  }
  return out;
}

uint64_t num_bytes_of(const Plan& plan) {
  uint64_t out = 0;
  for (const Piece& piece : pieces_of(plan)) out += bytes_of(plan, piece);
  return out;
}

/// A tile with its size before it and its last bytes, as many as there are, repeated behind it.
void append_framed(FieldWriter& out, const Bytes& tile) {
  out.u32(static_cast<uint32_t>(tile.size()));
  out.bytes(tile);
  out.bytes(std::span(tile).last(std::min<std::size_t>(kFrame, tile.size())));
}

using Write = std::function<void(uint64_t offset, std::span<const std::byte> bytes)>;

/// Writes all tiles from `offset` on and returns where they are, band after band.
std::vector<ByteRange> write_tiles(const Raster& raster, const Plan& plan, const TogOptions& options,
                                   const Write& write, uint64_t offset) {
  const auto pieces = pieces_of(plan);
  std::vector<uint64_t> weights;
  for (const Piece& piece : pieces) weights.push_back(bytes_of(plan, piece));
  const uint64_t num_bytes = num_bytes_of(plan);
  OrderedWork<std::vector<Bytes>> work(weights, kBytesUnderWay, num_threads(options.task.jobs), [&](std::size_t i) {
    return compress_piece(raster, plan, pieces[i], options.zstd_level);
  });
  const auto places = static_cast<std::size_t>(plan.across() * plan.down());
  const auto bands = static_cast<std::size_t>(plan.image.bands);
  std::vector<ByteRange> tiles(plan.num_tiles());
  uint64_t num_done = 0;
  std::size_t number = 0;  // of the tile in file order
  for (std::size_t i = 0; auto compressed = work.next(); ++i) {
    FieldWriter bytes;
    for (const Bytes& tile : *compressed) {
      tiles[number % bands * places + number / bands] = {offset + bytes.size() + kFrame, tile.size()};
      append_framed(bytes, tile);
      ++number;
    }
    const Bytes framed = bytes.take();
    write(offset, framed);
    offset += framed.size();
    num_done += weights[i];
    report(options.task, num_done, num_bytes);
  }
  return tiles;
}

void write_tog(const Raster& raster, const Plan& plan, const TogOptions& options, const Write& write) {
  const uint64_t begin = head_of(plan, std::vector<ByteRange>(plan.num_tiles())).size();
  const auto tiles = write_tiles(raster, plan, options, write, begin);
  write(0, head_of(plan, tiles));
}

}  // namespace

void check_tog_options(const TogOptions& options) {
  if (options.block_size < 16 || options.block_size % 16 != 0 || options.block_size > kMostBlockSize) {
    throw QueryError("block size " + std::to_string(options.block_size) + ": a multiple of 16 up to " +
                     std::to_string(kMostBlockSize) + " expected");
  }
  if (options.zstd_level < 1 || options.zstd_level > 22) {
    throw QueryError("ZSTD level " + std::to_string(options.zstd_level) + ": 1 to 22 expected");
  }
  if (const int predictor = options.predictor.value_or(1); predictor < 1 || predictor > 3) {
    throw QueryError("predictor " + std::to_string(predictor) + ": 1, 2, or 3 for floating point expected");
  }
}

void make_tog(const std::string& input, const std::string& output, const TogOptions& options,
              const RasterOpener* fallback) {
  require_apart(output, {input});
  const auto raster = open_raster(input, fallback);
  const Plan plan = plan_of(*raster, input, options);
  OutputFile file(output, options.overwrite);
  write_tog(*raster, plan, options,
            [&](uint64_t offset, std::span<const std::byte> bytes) { file.write(offset, bytes); });
  file.sync();
  const uint64_t num_bytes = num_bytes_of(plan);
  report(options.task, num_bytes, num_bytes);  // the last chance to stop: syncing takes time
  file.commit();
}

uint64_t encode_tog(const std::string& input, StagedFile& file, TogOptions options, const RasterOpener* fallback) {
  const auto raster = open_raster(input, fallback);
  if (options.block_size == 0) options.block_size = natural_block_size(raster->info());
  const Plan plan = plan_of(*raster, input, options);
  uint64_t size = 0;
  write_tog(*raster, plan, options, [&](uint64_t offset, std::span<const std::byte> bytes) {
    std::as_const(file).write(offset, bytes);
    size = std::max(size, offset + bytes.size());
  });
  return size;
}

}  // namespace tacore
