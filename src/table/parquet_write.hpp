#pragma once

#include <arrow/type_fwd.h>

#include <functional>
#include <memory>
#include <span>

#include "io/byte_source.hpp"

namespace tacore {

/// Receives the bytes of a Parquet file in order.
using ByteConsumer = std::function<void(std::span<const std::byte>)>;

/// Batches as a Parquet file: zstd, row groups of 65,536 rows, Arrow schema stored (docs/format.md).
void write_parquet(arrow::RecordBatchReader& batches, const ByteConsumer& out);

}  // namespace tacore
