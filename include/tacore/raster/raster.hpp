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

/// The type of a pixel. Other types (complex numbers, single bits) are not read.
enum class DataType : uint8_t { UInt8, Int8, UInt16, Int16, UInt32, Int32, UInt64, Int64, Float32, Float64 };

/// The name that NumPy uses: "uint8", "float32", ...
TACORE_EXPORT const char* to_string(DataType type) noexcept;
/// The inverse. Throws QueryError.
TACORE_EXPORT DataType parse_data_type(std::string_view name);
/// Bytes of one pixel.
TACORE_EXPORT std::size_t size_of(DataType type) noexcept;

/// A part of a raster in pixels, from its upper left corner.
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
  std::optional<double> nodata = {};  ///< of all bands; NaN is one, too
  std::string format = {};            ///< the GDAL driver that reads it: "GTiff", ...
  int64_t block_width = 0;            ///< what is stored and compressed together
  int64_t block_height = 0;
  std::string compression = {};  ///< as GDAL has it: "ZSTD", "DEFLATE", "LZW", "NONE", ...
  std::string interleave = {};   ///< "PIXEL", "BAND" or "TILE"
  int predictor = 1;             ///< 1 none, 2 horizontal, 3 floating point
};

/// The coordinate reference system and geotransform of a raster, empty where the file has none.
struct Georeference {
  std::string crs = {};                                    ///< "EPSG:32719", else WKT
  std::optional<std::array<double, 6>> geotransform = {};  ///< pixel corner to CRS, in GDAL's order
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
  /// For messages: the path as GDAL has it.
  virtual const std::string& name() const noexcept = 0;
  virtual const RasterInfo& info() const noexcept = 0;
  /// The no-data value of all bands. A TacoTIFF header (`taco:header`) does not have it: info().nodata is empty then,
  /// and this reads it from the file, once. Throws as read().
  virtual std::optional<double> nodata() const;
  virtual Georeference georeference() const = 0;
  /// Reads the pixels of these bands (from 1) in `window` into `out`: shape (bands, height, width), type info().type,
  /// the byte order of this machine. Blocks that the file leaves out are no data, or 0 where none is set, as in GDAL.
  /// Throws QueryError for bands or a window outside of the raster and for `out` of another size, FormatError for a
  /// damaged file, IoError. The content of `out` is unspecified then.
  virtual void read(std::span<const int> bands, const Window& window, std::span<std::byte> out) const = 0;
};

/// For implementations of Raster::read: throws QueryError unless bands, window and the size of `out` fit `info`. `name`
/// is for messages.
TACORE_EXPORT void check_read(const RasterInfo& info, const std::string& name, std::span<const int> bands,
                              const Window& window, std::size_t out_size);

/// Opens rasters that tacore's own TIFF decoder does not read, by the path that GDAL knows. The library tacore_gdal has
/// an opener (`gdal.hpp`).
class TACORE_EXPORT RasterOpener {
 public:
  virtual ~RasterOpener();
  /// Throws IoError when it cannot be opened, FormatError when it is no raster.
  virtual std::shared_ptr<const Raster> open(const std::string& vsi_path) const = 0;
};

/// Opens a file, or a part of one as GDAL names it ("/vsisubfile/OFFSET_SIZE,PATH"). tacore decodes TIFF and BigTIFF of
/// either byte order, in tiles or strips, with ZSTD, deflate, LZW or no compression, any predictor, and integers and
/// real numbers of 8 to 64 bits; of several images in a file the first, full one. `fallback` opens everything else.
/// Throws IoError when the file does not exist, FormatError for a damaged TIFF and, without `fallback`, for all that
/// needs it.
TACORE_EXPORT std::shared_ptr<const Raster> open_raster(const std::string& path,
                                                        const RasterOpener* fallback = nullptr);

/// Opens the FILE at a position of a frame. Nothing is read for it where the dataset has the structure of the TIFF in
/// the column `taco:header` or in an index file beside it (tiff_index.hpp). Throws as above, and as DataFrame::read.
TACORE_EXPORT std::shared_ptr<const Raster> open_raster(const DataFrame& frame, int64_t position,
                                                        const RasterOpener* fallback = nullptr);
/// The same for the first row with this id, or for a path of ids from here ("tile_00/sensor_A/band_R").
TACORE_EXPORT std::shared_ptr<const Raster> open_raster(const DataFrame& frame, std::string_view id,
                                                        const RasterOpener* fallback = nullptr);

/// Opens a FILE that is to be written. `fallback` cannot open bytes in memory. Throws SchemaError for a FOLDER, and as
/// above.
TACORE_EXPORT std::shared_ptr<const Raster> open_raster(const Sample& sample, const RasterOpener* fallback = nullptr);

}  // namespace tacore
