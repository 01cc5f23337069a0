#include "tiff_directory.hpp"

namespace tacore {

TiffGeoreference georeference_of(const TiffDirectory& directory) {
  TiffGeoreference out;
  const auto& scale = directory.pixel_scale;
  const auto& tie = directory.tiepoints;
  if (scale.size() >= 2 && tie.size() >= 6) {
    out.georeference.geotransform = {tie[3] - tie[0] * scale[0], scale[0], 0, tie[4] + tie[1] * scale[1], 0, -scale[1]};
  }
  return out;
}

}  // namespace tacore
