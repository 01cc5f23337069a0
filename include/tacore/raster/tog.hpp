#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tacore/raster/raster.hpp"
#include "tacore/visibility.hpp"

/// TOG, the TACO Optimized GeoTIFF (TACO 0.2.0): a BigTIFF in tiles, compressed with ZSTD, in which the tiles
/// of all bands at one place lie next to each other.
namespace tacore {

struct TogOptions {
  int64_t block_size = 512;           ///< width and height of a tile in pixels, a multiple of 16
  int zstd_level = 13;                ///< 1 to 22
  std::optional<int> predictor = {};  ///< 1 none, 2 for any type, 3 for floating point; else 3 for that, 2 for integers
  bool overwrite = false;
  int jobs = 0;  ///< threads that compress; 0: one for each processor
  /// Called now and then with how many of `num_bytes` of pixels are done. false stops the work.
  bool (*progress)(uint64_t num_done, uint64_t num_bytes, void* user) = nullptr;
  void* user = nullptr;
};

/// Writes the raster at `input` as a TOG, which appears at `output` whole and synced, or not at all. Pixels, no data,
/// georeference, GDAL metadata, and the meaning of the bands stay as they are, byte for byte; overviews, masks
/// and other tags (RPCs, image description, software) are left out. The same input gives the same bytes, whatever
/// `jobs` is. Memory is bounded, whatever the size of the image.
///
/// `input` is what open_raster() opens. Of what is no TIFF only pixels, no data and the geotransform are kept.
///
/// Throws QueryError for a block size, level or predictor that may not be; IoError when `output` exists and may
/// not be replaced; SchemaError for a CRS that cannot be kept; as open_raster() and Raster::read(); IoError when it
/// cannot be written or `progress` returned false.
TACORE_EXPORT void make_tog(const std::string& input, const std::string& output, const TogOptions& options = {},
                            const RasterOpener* fallback = nullptr);

/// Why the file at `path` is no TacoTIFF, one sentence for each fault; empty when it is one, as every TOG. It is a
/// BigTIFF with one directory, in tiles of a band each, compressed with ZSTD; the tiles of all bands at a place are
/// next to each other, 8 bytes apart, each with its size in front of it and its last bytes repeated behind it; and its
/// metadata say INTERLEAVE=TILE. Throws IoError.
TACORE_EXPORT std::vector<std::string> check_tacotiff(const std::string& path);

}  // namespace tacore
