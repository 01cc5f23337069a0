#pragma once

#include "tacore/write/create.hpp"

namespace tacore {

/// The samples in the order, and with the bounding boxes of their geometries, that the options want.
Tortilla arranged(const Tortilla& samples, const CreateOptions& options);

/// The options of the Parquet files: samples in the order of their places have bounding boxes.
ParquetOptions parquet_of(const CreateOptions& options);

}  // namespace tacore
