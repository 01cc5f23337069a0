#include <cmath>

#include "raster/tiff_directory.hpp"
#include "tacore/error.hpp"

/// Reads GeoTIFF 1.1 (OGC 19-008r4), as far as it says where pixels lie.
namespace tacore {
namespace {

// Keys of GeoTIFF, and the values that they may have.
constexpr uint16_t kModelType = 1024, kRasterType = 1025, kGeodeticCrs = 2048, kProjectedCrs = 3072, kVertical = 4096;
constexpr uint16_t kProjected = 1, kGeographic = 2;
constexpr uint16_t kPixelIsPoint = 2;
constexpr uint16_t kFirstCode = 1024, kLastCode = 32766;

/// The GeoKeys of short integers (7.1.2): the directory has a header of four numbers, then four numbers for each key.
class Keys {
 public:
  explicit Keys(const std::vector<uint16_t>& stored) : stored_(stored) {
    if (stored.empty()) return;
    if (stored.size() < 4 || (stored.size() - 4) / 4 < stored[3]) {
      throw FormatError("the GeoTIFF keys are cut short: " + std::to_string(stored.size()) + " numbers");
    }
    count_ = stored[3];
  }

  bool empty() const { return count_ == 0; }
  /// The value of a key, 0 when it is absent; values that are stored in other tags belong to none of these keys.
  uint16_t get(uint16_t key) const {
    for (std::size_t at = 4; at < 4 + 4 * std::size_t{count_}; at += 4) {
      if (stored_[at] == key) return stored_[at + 1] == 0 ? stored_[at + 3] : 0;
    }
    return 0;
  }

 private:
  const std::vector<uint16_t>& stored_;
  uint16_t count_ = 0;
};

std::optional<std::array<double, 6>> geotransform_of(const TiffDirectory& directory, bool is_point) {
  std::array<double, 6> out = {};
  const auto &scale = directory.pixel_scale, &tie = directory.tiepoints, &matrix = directory.transformation;
  if (scale.size() >= 2 && scale[0] != 0 && scale[1] != 0 && tie.size() >= 6) {
    // The y step is negative whatever the sign of the scale: rows run south (GDAL reads it so, too).
    const double across = scale[0], down = -std::abs(scale[1]);
    out = {tie[3] - tie[0] * across, across, 0, tie[4] - tie[1] * down, 0, down};
  } else if (matrix.size() == 16) {
    out = {matrix[3], matrix[0], matrix[1], matrix[7], matrix[4], matrix[5]};
  } else {
    return std::nullopt;
  }
  if (is_point) {  // the tie point was given for the centre of the first pixel
    out[0] -= (out[1] + out[2]) / 2;
    out[3] -= (out[4] + out[5]) / 2;
  }
  return out;
}

/// The EPSG code; 0 when the keys do not name one code for the whole CRS.
uint16_t code_of(const Keys& keys) {
  if (keys.get(kVertical) != 0) return 0;
  const uint16_t model = keys.get(kModelType);
  const uint16_t code = model == kProjected    ? keys.get(kProjectedCrs)
                        : model == kGeographic ? keys.get(kGeodeticCrs)
                                               : uint16_t{0};
  return code >= kFirstCode && code <= kLastCode ? code : uint16_t{0};
}

}  // namespace

Georeference georeference_of(const TiffDirectory& directory) {
  const Keys keys(directory.geo_keys);
  Georeference out;
  out.geotransform = geotransform_of(directory, keys.get(kRasterType) == kPixelIsPoint);
  if (const uint16_t code = code_of(keys)) out.crs = "EPSG:" + std::to_string(code);
  return out;
}

}  // namespace tacore
