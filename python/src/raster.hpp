#pragma once

#include <memory>

#include "bind.hpp"
#include "tacore/raster/raster.hpp"

namespace tacore::python {

/// A raster in Python. A raster that rasterio opened is closed with the GIL, in any thread.
struct SharedRaster {
  std::shared_ptr<const Raster> raster;
};

void bind_pixel_statistics(nb::module_& m);

}  // namespace tacore::python
