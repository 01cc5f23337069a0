#pragma once

#include <arrow/type_fwd.h>

#include <memory>

namespace tacore {

/// The same values with text and bytes in `string` and `binary` where they are views, as polars has them, at any depth.
std::shared_ptr<arrow::Array> without_views(const std::shared_ptr<arrow::Array>& array);

}  // namespace tacore
