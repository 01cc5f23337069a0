#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tortilla/streaming/togs.hpp"
#include "tortilla/write/plan.hpp"

/// Writing the precomputed histograms of a streaming TACO.
namespace tacore::v1 {

/// The rasters at one path below all samples.
struct Component {
  std::string name = {};  ///< `lrf`, `a/x`; `.` for samples that are rasters themselves
  int level = 0;
  std::vector<int64_t> rows = {};           ///< of `level`, one for each sample
  std::vector<double> low = {}, high = {};  ///< by band: the range of all valid pixels; NaN without any
};

/// The components of a tree whose samples have equal structure (check_streamable), if every raster has a layout, and
/// their ranges: decodes all pixels on `jobs` threads. `go_on` is called periodically, from any of them; it may throw,
/// which stops the work. Throws ValidationError for rasters of one path with different numbers of bands, FormatError
/// and IoError when one cannot be decoded.
std::vector<Component> find_components(const Tree& tree, const Togs& togs, int jobs,
                                       const std::function<void()>& go_on);

/// The Tortilla of histograms of the samples of a part; empty without components. Decodes all pixels again. Throws
/// ValidationError for more than 2^32 - 1 pixels in a bin.
Bytes encode_histograms(const TortillaPart& part, const Togs& togs, const std::vector<Component>& components, int jobs,
                        const std::function<void()>& go_on);

}  // namespace tacore::v1
