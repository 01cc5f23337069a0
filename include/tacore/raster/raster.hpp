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

/// The type of a pixel. What has none of these (complex numbers, single bits) is not read.
enum class DataType : uint8_t { UInt8, Int8, UInt16, Int16, UInt32, Int32, UInt64, Int64, Float32, Float64 };

/// As NumPy has it: "uint8", "float32", ...
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

/// What a raster is. Sizes in pixels.
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

/// Where a raster lies. Empty where the file does not say.
struct Georeference {
  std::string crs = {};                                    ///< "EPSG:32719", else WKT
  std::optional<std::array<double, 6>> geotransform = {};  ///< pixel corner to CRS, in GDAL's order
};

/// A raster that is open for reading. Immutable; calls are safe from several threads.
class TACORE_EXPORT Raster {
 public:
  virtual ~Raster();
  /// For messages: the path as GDAL has it.
  virtual const std::string& name() const noexcept = 0;
  virtual const RasterInfo& info() const noexcept = 0;
  /// No data of all bands. A TacoTIFF header (`taco:header`) does not say: then it is read from the file, once, and
  /// info().nodata is empty. Throws as read().
  virtual std::optional<double> nodata() const;
  virtual Georeference georeference() const = 0;
  /// Fills `out` with the pixels of these bands (from 1) in `window`: shape (bands, height, width), info().type, the
  /// byte order of this machine. Blocks that a file leaves out hold no data, or 0 where none is set, as GDAL has it.
  /// Throws QueryError: bands or a window outside the raster, `out` of another size; FormatError: the file lies;
  /// IoError. Then the content of `out` is unspecified.
  virtual void read(std::span<const int> bands, const Window& window, std::span<std::byte> out) const = 0;
};

/// For implementations of Raster::read: throws QueryError unless bands, window and the size of `out` fit `info`. `name`
/// is for messages.
TACORE_EXPORT void check_read(const RasterInfo& info, const std::string& name, std::span<const int> bands,
                              const Window& window, std::size_t out_size);

/// Opens what tacore's own TIFF decoder does not read, by the path that GDAL knows. tacore_gdal has one (`gdal.hpp`).
class TACORE_EXPORT RasterOpener {
 public:
  virtual ~RasterOpener();
  /// Throws IoError when it cannot be opened, FormatError when it is no raster.
  virtual std::shared_ptr<const Raster> open(const std::string& vsi_path) const = 0;
};

/// A file, or a part of one as GDAL has it ("/vsisubfile/OFFSET_SIZE,PATH"). TIFF and BigTIFF of either byte order,
/// tiled or in strips, with ZSTD, deflate, LZW or no compression, any predictor, integers and floating point of 8 to 64
/// bits are decoded here, the full image only; `fallback` opens everything else. Throws IoError when there is no such
/// file; FormatError for a broken TIFF, and, without `fallback`, for what it would be needed for.
TACORE_EXPORT std::shared_ptr<const Raster> open_raster(const std::string& path, const RasterOpener* fallback = nullptr);

/// The FILE at a position of a frame. Where the dataset has its structure in `taco:header`, or in a file
/// beside it (header.hpp), nothing is read to open it. Throws as above, and as DataFrame::read.
TACORE_EXPORT std::shared_ptr<const Raster> open_raster(const DataFrame& frame, int64_t position,
                                                        const RasterOpener* fallback = nullptr);
/// The same for the first row with this id, or for a path of ids from here ("tile_00/sensor_A/band_R").
TACORE_EXPORT std::shared_ptr<const Raster> open_raster(const DataFrame& frame, std::string_view id,
                                                        const RasterOpener* fallback = nullptr);

/// A FILE that is to be written. `fallback` does not see bytes in memory. Throws SchemaError for a FOLDER; as above.
TACORE_EXPORT std::shared_ptr<const Raster> open_raster(const Sample& sample, const RasterOpener* fallback = nullptr);

}  // namespace tacore
