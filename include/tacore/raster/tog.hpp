#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tacore/raster/raster.hpp"
#include "tacore/task.hpp"
#include "tacore/visibility.hpp"
#include "tacore/write/sample.hpp"

/// TOG, the TACO Optimized GeoTIFF of TACO 0.2.0: a tiled BigTIFF with ZSTD compression, in which the tiles of all
/// bands at one position are adjacent.
namespace tacore {

/// Options of make_tog().
struct TogOptions {
  Task task = {};            ///< progress counts bytes of pixels
  int64_t block_size = 512;  ///< width and height of a tile in pixels, a multiple of 16
  int zstd_level = 13;       ///< 1 to 22
  /// TIFF predictor: 1 none, 2 horizontal, 3 floating point. Not set: 3 for floating point, 2 for integers.
  std::optional<int> predictor = {};
  bool overwrite = false;
};

/// Converts the raster at `input` to a TOG at `output`. Pixels, no data, georeference, GDAL metadata and colour
/// interpretation are preserved exactly; overviews, masks and other tags (RPCs, image description, software) are left
/// out. `input` is anything that open_raster() opens; for formats other than TIFF only pixels, no data and geotransform
/// are preserved.
///
///     make_tog("image.tif", "image_tog.tif", {.block_size = 256});
///
/// The output is written under a temporary name, flushed to disk and renamed. The same input gives the same bytes,
/// whatever the number of threads. Memory is bounded, whatever the size of the image.
///
/// Throws QueryError for an invalid block size, level or predictor; SchemaError for a CRS that cannot be stored;
/// IoError when `output` exists and `overwrite` is not set, when it cannot be written, and when `progress` returned
/// false; and as open_raster() and Raster::read().
TACORE_EXPORT void make_tog(const std::string& input, const std::string& output, const TogOptions& options = {},
                            const RasterOpener* fallback = nullptr);

/// Options of with_togs().
struct TogSamplesOptions {
  Task task = {};          ///< progress counts bytes of the FILEs that are converted
  int64_t block_size = 0;  ///< side of the tiles in pixels; 0: that of the source, or 512 if it has none
  int zstd_level = 13;     ///< 1 to 22
  /// Folder for the TOGs; "": TMPDIR, else /tmp.
  std::string temp_dir = {};
  const RasterOpener* fallback = nullptr;  ///< opens GeoTIFFs that tacore does not decode
};

/// The result of with_togs().
struct TogSamples {
  Tortilla samples;
  int64_t num_converted = 0;  ///< GeoTIFFs that became TOGs
  int64_t num_unchanged = 0;  ///< TOGs already
  int64_t num_others = 0;     ///< FILEs that are not TIFF
};

/// Makes a copy of `samples` whose GeoTIFFs are TOGs, at all levels, converted as by make_tog(); metadata, TOGs with
/// tiles of the wanted size, FILEs that are not TIFF, FOLDERs and padding are not changed. An image smaller than a tile
/// gets one tile that is hardly larger than it.
///
///     const auto togs = with_togs(Tortilla::from_folder("chips"), {.temp_dir = "."});
///     create({togs.samples, collection}, "chips.tacozip");
///
/// The TOGs are files in a temporary folder below `temp_dir`, which needs space for all of them. The folder is removed
/// with the last copy of the returned samples; that of a killed process is removed by the next call with the same
/// `temp_dir`. The sources are only read. Several GeoTIFFs are converted at the same time.
///
/// Throws, with the path of the sample, as make_tog(); FormatError when a sample differs from the CRC-32 of the ZIP
/// that it comes from; IoError when `progress` returned false.
TACORE_EXPORT TogSamples with_togs(const Tortilla& samples, const TogSamplesOptions& options = {});

/// Checks whether the file at `path` is a TacoTIFF, and returns one sentence for each fault; empty when it is one, as
/// every TOG is. A TacoTIFF is a BigTIFF with one directory and tiles of one band each, compressed with ZSTD; the tiles
/// of all bands at a position are 8 bytes apart, each preceded by its size and followed by a repetition of its last
/// bytes; and its metadata has INTERLEAVE=TILE. Throws IoError.
TACORE_EXPORT std::vector<std::string> check_tacotiff(const std::string& path);

}  // namespace tacore
