#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tacore/dataframe.hpp"
#include "tacore/visibility.hpp"

namespace tacore {

class Sample;

/// The type of a pixel, a number of 8 to 64 bits. Other types (complex numbers, single bits) are not supported.
enum class DataType : uint8_t { UInt8, Int8, UInt16, Int16, UInt32, Int32, UInt64, Int64, Float32, Float64 };

/// The name of a pixel type as in NumPy: "uint8", "float32", ...
TACORE_EXPORT const char* to_string(DataType type) noexcept;
/// Parses the NumPy name of a pixel type. Throws QueryError for any other text.
TACORE_EXPORT DataType parse_data_type(std::string_view name);
/// The size of one pixel of this type in bytes.
TACORE_EXPORT std::size_t size_of(DataType type) noexcept;

/// A rectangular part of a raster in pixels; (x, y) is its upper left pixel, counted from the upper left of the raster.
struct Window {
  int64_t x = 0;
  int64_t y = 0;
  int64_t width = 0;
  int64_t height = 0;

  bool operator==(const Window&) const = default;
};

/// The size, pixel type and storage of a raster. Sizes are in pixels.
struct RasterInfo {
  int64_t width = 0;
  int64_t height = 0;
  int bands = 0;
  DataType type = DataType::UInt8;
  std::optional<double> nodata = {};  ///< no-data value of all bands; may be NaN
  std::string format = {};            ///< name of the GDAL driver: "GTiff", ...
  /// The size of a block (tile or strip), which is compressed as a unit.
  int64_t block_width = 0;
  int64_t block_height = 0;
  std::string compression = {};  ///< GDAL's name: "ZSTD", "DEFLATE", "LZW", "NONE", ...
  std::string interleave = {};   ///< "PIXEL", "BAND" or "TILE"
  int predictor = 1;             ///< TIFF predictor: 1 none, 2 horizontal, 3 floating point
};

/// The coordinate reference system (CRS) and geotransform of a raster, empty where the file has none.
struct Georeference {
  std::string crs = {};                                    ///< "EPSG:32719", else WKT
  std::optional<std::array<double, 6>> geotransform = {};  ///< from pixel corner to CRS, in GDAL's order
};

/// A raster that is open for reading. Immutable; calls are safe from several threads.
///
///     const auto raster = open_raster("image.tif");
///     const RasterInfo& info = raster->info();
///     std::vector<std::byte> red(256 * 256 * size_of(info.type));
///     raster->read(std::vector{1}, {.x = 0, .y = 0, .width = 256, .height = 256}, red);
class TACORE_EXPORT Raster {
 public:
  virtual ~Raster();
  /// The path as GDAL writes it, for messages.
  virtual const std::string& name() const noexcept = 0;
  virtual const RasterInfo& info() const noexcept = 0;
  /// The no-data value of all bands. The column `taco:header` (extensions/tiff_index.hpp) does not contain it:
  /// info().nodata is empty for a raster that was opened with it, and this function reads it from the file, once.
  /// Throws as read().
  virtual std::optional<double> nodata() const;
  virtual Georeference georeference() const = 0;
  /// Reads the pixels of `bands` (from 1) in `window` into `out`: shape (bands, height, width), type info().type, in
  /// the byte order of this machine. Blocks that a sparse file does not contain are no data, or 0 when no value is set,
  /// as in GDAL. Throws QueryError for bands or a window outside of the raster and for `out` of another size;
  /// FormatError for a damaged file; IoError. The content of `out` is unspecified then.
  virtual void read(std::span<const int> bands, const Window& window, std::span<std::byte> out) const = 0;
};

/// Checks the arguments of Raster::read(), for classes that implement it. Throws QueryError unless bands, window and
/// `out_size` (in bytes) match `info`. `name` is used in messages.
TACORE_EXPORT void check_read(const RasterInfo& info, const std::string& name, std::span<const int> bands,
                              const Window& window, std::size_t out_size);

/// Opens rasters that tacore's own TIFF decoder cannot read. gdal::raster_opener() of the library tacore_gdal is one
/// (`raster/gdal.hpp`).
///
///     const auto opener = gdal::raster_opener();
///     const auto raster = open_raster("scene.jp2", opener.get());
class TACORE_EXPORT RasterOpener {
 public:
  virtual ~RasterOpener();
  /// Opens the raster at a path as GDAL writes it. Throws IoError when it cannot be opened, FormatError when it is not
  /// a raster.
  virtual std::shared_ptr<const Raster> open(const std::string& vsi_path) const = 0;
};

/// Opens a raster file, or a byte range of one as GDAL writes it ("/vsisubfile/OFFSET_SIZE,PATH"). tacore decodes TIFF
/// and BigTIFF of either byte order, in tiles or strips, with ZSTD, deflate, LZW or no compression, any predictor, and
/// integers and real numbers of 8 to 64 bits; of several images in a file it reads the first one in full resolution.
/// `fallback` opens all other rasters. Throws IoError when the file does not exist, FormatError for a damaged TIFF and,
/// without `fallback`, UnsupportedError for a file that tacore does not decode.
TACORE_EXPORT std::shared_ptr<const Raster> open_raster(const std::string& path,
                                                        const RasterOpener* fallback = nullptr);

/// Opens the FILE at a position of a DataFrame. Nothing is read for it when the structure of the TIFF is in the column
/// `taco:header` or in an index file beside the dataset (raster/tiff_index.hpp). Throws as above, and as
/// DataFrame::read().
TACORE_EXPORT std::shared_ptr<const Raster> open_raster(const DataFrame& frame, int64_t position,
                                                        const RasterOpener* fallback = nullptr);
/// Opens the first FILE with this id, or the one at a path of ids below the rows ("tile_00/sensor_A/band_R"). Throws as
/// above.
TACORE_EXPORT std::shared_ptr<const Raster> open_raster(const DataFrame& frame, std::string_view id,
                                                        const RasterOpener* fallback = nullptr);

/// Opens a FILE that is to be written. `fallback` cannot open bytes in memory. Throws as above, and SchemaError for a
/// FOLDER.
TACORE_EXPORT std::shared_ptr<const Raster> open_raster(const Sample& sample, const RasterOpener* fallback = nullptr);

}  // namespace tacore
