#pragma once

#include <functional>

#include "tacore/raster/raster.hpp"
#include "tacore/write/sample.hpp"

namespace tacore::v1 {

/// `samples` with `stats:mean`, `stats:min`, `stats:max` and `stats:std` (dossier v1 5.3) of each GeoTIFF that lacks
/// one of them, at each level that has GeoTIFFs; values that are there stay. A FILE whose `tortilla:file_format` says
/// otherwise is none. `go_on` is called now and then, from any of `jobs` threads; it may throw, which stops the work.
/// Throws as extensions::Stats does.
Tortilla fill_stats(const Tortilla& samples, const RasterOpener* fallback, int jobs, const std::function<void()>& go_on);

}  // namespace tacore::v1
