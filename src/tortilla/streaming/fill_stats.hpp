#pragma once

#include <functional>

#include "tacore/raster/raster.hpp"
#include "tacore/write/sample.hpp"

namespace tacore::v1 {

/// Adds `stats:mean`, `stats:min`, `stats:max` and `stats:std` to each GeoTIFF of `samples` that lacks one of them, at
/// each level with GeoTIFFs; existing values stay. A FILE whose `tortilla:file_format` is another format is skipped.
/// `go_on` is called periodically, from any of `jobs` threads; it may throw, which stops the work. Throws as
/// extensions::Stats does.
Tortilla fill_stats(const Tortilla& samples, const RasterOpener* fallback, int jobs,
                    const std::function<void()>& go_on);

}  // namespace tacore::v1
