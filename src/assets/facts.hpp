#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "io/byte_source.hpp"

namespace tacore::assets {

/// What many files of a dataset have in common. Numbers are 0 and texts empty where a header does not say.
struct AssetKind {
  std::string format = {};  ///< name of the GDAL driver, by the first bytes; "BYTES" for an unknown signature
  std::string crs = {};     ///< "EPSG:32719"; "" also for a CRS without a code
  std::string type = {};    ///< of pixels, as in NumPy: "uint16"
  std::string compression = {}, nodata = {};
  int64_t width = 0, height = 0, block_width = 0, block_height = 0;
  int bands = 0;

  auto operator<=>(const AssetKind&) const = default;
};

/// Keeps each kind once, however many files have it. Safe from several threads.
class AssetKinds {
 public:
  std::shared_ptr<const AssetKind> keep(AssetKind kind);

 private:
  std::mutex mutex_;
  std::map<AssetKind, std::shared_ptr<const AssetKind>> kinds_;
};

/// What the header of a file says about it.
struct AssetFacts {
  std::shared_ptr<const AssetKind> kind = {};              ///< nullptr: the file was not read
  uint64_t size = 0;                                       ///< bytes
  std::optional<std::array<double, 6>> geotransform = {};  ///< from pixel corner to CRS, in GDAL's order
  std::optional<int64_t> time = {};                        ///< of TIFF tag 306, taken for UTC: microseconds since 1970
  std::string fault = {};                                  ///< why the header cannot be read; "" where it can
};

/// The bytes of a file that are read first: they hold the directories of most TIFFs that are not COGs, too, whose
/// overviews come in between.
inline constexpr uint64_t kHeadSize = 16 * 1024;

/// Reads the header of a TIFF, PNG, JPEG or JPEG 2000, in one request where what is needed of it is in its first 16
/// KiB; of other formats, the signature. Throws IoError.
AssetFacts facts_of(const std::shared_ptr<const ByteSource>& bytes, AssetKinds& kinds);

/// The time of TIFF tag 306, "2024:01:31 10:30:00", in microseconds since 1970; nullopt for any other text.
std::optional<int64_t> parse_tiff_time(const std::string& text);

}  // namespace tacore::assets
