#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>

#include "tacore/error.hpp"

namespace parquet {
class ColumnReader;
}

namespace tacore {

// Columns that are no lists, decoded without Arrow's own reader. Both functions throw ParquetException or FormatError,
// and give fewer values when the column has fewer.

/// Decodes `rows` values of a flat BYTE_ARRAY column as text. Arrow's own reader appends values one at a time after
/// three checks each, which takes three times as long, and the first read of a sample waits for ids.
std::shared_ptr<arrow::Array> decode_text(parquet::ColumnReader& column, int64_t rows, arrow::MemoryPool* pool);

/// Decodes `rows` values of a flat INT64 column. Arrow's own reader looks at the whole schema first, which takes longer
/// than the few rows of a `__meta__`, and serves one column at a time.
std::shared_ptr<arrow::Array> decode_integers(parquet::ColumnReader& column, int64_t rows, arrow::MemoryPool* pool);

/// Checks ids, which name files and rows: throws FormatError for one that is null, not UTF-8 or would lead out of its
/// folder. `first` is the row of the first id.
void check_ids(const arrow::Array& ids, int64_t first, const ErrorContext& where);

}  // namespace tacore
