#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>

#include "tacore/error.hpp"

namespace parquet {
class ColumnReader;
}

namespace tacore {

/// Decodes `rows` values of a flat BYTE_ARRAY column as text. Arrow's own reader appends values one at a time after
/// three checks each, which takes three times as long, and the first read of a sample waits for ids. Throws
/// ParquetException or FormatError; gives fewer values when the column has fewer.
std::shared_ptr<arrow::Array> decode_text(parquet::ColumnReader& column, int64_t rows, arrow::MemoryPool* pool);

/// Checks ids, which name files and rows: throws FormatError for one that is null, not UTF-8 or would lead out of its
/// folder. `first` is the row of the first id.
void check_ids(const arrow::Array& ids, int64_t first, const ErrorContext& where);

}  // namespace tacore
