#include <algorithm>

#include "tacore/error.hpp"
#include "tacore/raster/tensor.hpp"

namespace tacore {
namespace {

std::string text_of(const std::vector<int64_t>& shape, DataType type) {
  std::string out = to_string(type);
  for (std::size_t i = 0; i < shape.size(); ++i) out += (i == 0 ? " (" : ", ") + std::to_string(shape[i]);
  return out + ")";
}

}  // namespace

Tensor read_stack(const DataFrame& children, const TensorOptions& options, const RasterOpener* fallback) {
  if (children.num_rows() == 0) throw QueryError("no samples to stack");
  std::shared_ptr<const Raster> first;
  std::vector<int64_t> shape;
  Tensor out;
  for (int64_t i = 0; i < children.num_rows(); ++i) {
    const auto raster = open_raster(children, i, fallback);
    const auto here = tensor_shape(raster->info(), options);
    const DataType type = tensor_type(raster->info(), options);
    if (!first) {
      first = raster;
      shape = here;
      auto stacked = shape;
      stacked.insert(stacked.begin(), children.num_rows());
      out = Tensor(type, std::move(stacked));
    } else if (here != shape || type != out.type()) {
      throw QueryError("samples that differ cannot be stacked: " + first->name() + " is " + text_of(shape, out.type()) +
                       ", " + raster->name() + " is " + text_of(here, type));
    }
    const std::size_t size = out.bytes().size() / static_cast<std::size_t>(children.num_rows());
    read_tensor(*raster, options, out.bytes().subspan(static_cast<std::size_t>(i) * size, size));
  }
  return out;
}

}  // namespace tacore
