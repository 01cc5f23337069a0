// read_tensor() for the one conversion that preview() asks for, to double with no data as NaN: the hundred of
// raster/read_tensor.cpp are a sixth of the module, and JavaScript converts what users ask for.
#include <cmath>
#include <cstring>

#include "raster/pixel_type.hpp"
#include "tacore/error.hpp"
#include "tacore/raster/tensor.hpp"

namespace tacore {

Tensor read_tensor(const Raster& raster, const TensorOptions& options) {
  if (options.type != DataType::Float64 || !options.scale.empty() || !options.fill || !options.window)
    throw QueryError("pixels as float64 with a fill expected", {.path = raster.name()});
  const RasterInfo& info = raster.info();
  const std::vector<int64_t> shape{static_cast<int64_t>(options.bands.size()), options.window->height,
                                   options.window->width};
  Tensor stored(info.type, shape), out(DataType::Float64, shape);
  raster.read(options.bands, *options.window, stored.bytes());
  const auto nodata = raster.nodata();
  with_type(info.type, [&](auto pixel) {
    for (std::size_t i = 0; i < out.bytes().size() / sizeof(double); ++i) {
      std::memcpy(&pixel, stored.bytes().data() + i * sizeof pixel, sizeof pixel);
      auto value = static_cast<double>(pixel);
      if (nodata && (value == *nodata || (std::isnan(*nodata) && std::isnan(value)))) value = *options.fill;
      std::memcpy(out.bytes().data() + i * sizeof value, &value, sizeof value);
    }
  });
  return out;
}

}  // namespace tacore
