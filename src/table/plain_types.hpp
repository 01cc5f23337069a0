#pragma once

#include <arrow/type_fwd.h>

#include <memory>

namespace tacore {

/// The same values with Arrow's view types (polars uses them) replaced by `string` and `binary`, at any depth.
std::shared_ptr<arrow::Array> without_views(const std::shared_ptr<arrow::Array>& array);

}  // namespace tacore
