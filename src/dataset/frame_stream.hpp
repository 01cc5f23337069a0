#pragma once

#include <arrow/type_fwd.h>

#include <memory>

#include "dataset/dataframe_impl.hpp"
#include "table/arrow_stream.hpp"

namespace tacore {

/// A column of a frame as a column of a stream; paths are computed as they are read.
StreamColumn stream_column(const std::shared_ptr<const DataFrame::Impl>& frame, std::size_t column);

/// The visible columns of a frame, batch by batch.
std::shared_ptr<arrow::RecordBatchReader> frame_batches(const DataFrame& frame);

}  // namespace tacore
