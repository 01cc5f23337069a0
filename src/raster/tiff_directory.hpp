#pragma once

#include <optional>
#include <string>
#include <vector>

#include "io/byte_source.hpp"
#include "raster/tiff_layout.hpp"
#include "tacore/raster/raster.hpp"

namespace tacore {

/// The first directory of a TIFF or BigTIFF (TIFF 6.0; BigTIFF as libtiff writes it).
struct TiffDirectory {
  TiffLayout layout = {};
  bool is_big = false;
  bool has_more = false;                                     ///< other directories follow: overviews, masks, pages
  uint64_t directory_end = 0;                                ///< first byte after everything that was read to open it
  int photometric = 1;                                       ///< tag 262
  std::vector<uint16_t> extra_samples = {}, color_map = {};  ///< tags 338 and 320
  std::string nodata_text = {};                              ///< tag 42113, which layout.nodata is the value of
  std::string gdal_metadata = {};                            ///< tag 42112, XML
  // GeoTIFF, as stored.
  std::vector<double> pixel_scale = {}, tiepoints = {}, transformation = {}, geo_doubles = {};
  std::vector<uint16_t> geo_keys = {};
  std::string geo_ascii = {};
  /// Why tacore cannot decode it ("compression 7 (JPEG)"); `layout` then has sizes only. Empty: it can.
  std::string unsupported = {};
};

/// The size of the first read: it holds the directory of a COG of usual size, and a local file costs one page.
inline constexpr uint64_t kTiffHeadSize = 4096;

/// True when `head` begins with the signature of a TIFF or BigTIFF.
bool is_tiff(std::span<const std::byte> head);

/// Reads the first directory, in one request where it is at the start of the file, as in a COG. Throws FormatError for
/// anything that breaks the specification, before memory of that size is allocated; IoError.
TiffDirectory read_tiff_directory(const ByteSource& source);
/// Reads as read_tiff_directory() does, but returns nullopt for a file without the signature of a TIFF.
std::optional<TiffDirectory> find_tiff_directory(const ByteSource& source);

/// Tag 306 of the first directory, "2024:01:31 10:30:00"; "" where it is absent. It is no member of TiffDirectory,
/// which readers of pixels in a browser pay for. Throws as read_tiff_directory().
std::string read_tiff_time(const ByteSource& source);

/// The CRS as "EPSG:code" where the GeoTIFF keys name one, and the transform; pixel-is-point is shifted by half a
/// pixel.
Georeference georeference_of(const TiffDirectory& directory);

}  // namespace tacore
