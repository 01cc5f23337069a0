#pragma once

#include <memory>

#include "bind.hpp"
#include "tacore/raster/raster.hpp"

namespace tacore::python {

/// A raster in Python. What rasterio opened is closed under the interpreter's lock, whoever lets go of it.
struct SharedRaster {
  std::shared_ptr<const Raster> raster;
};

void bind_pixel_statistics(nb::module_& m);

}  // namespace tacore::python
