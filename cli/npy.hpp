#pragma once

#include <string>

#include <tacore/raster/tensor.hpp>

namespace tacore::cli {

/// What stands before the values in a file of NumPy (format 1.0), C order.
std::string npy_header(const Tensor& tensor);

}  // namespace tacore::cli
