#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>

#include "tacore/error.hpp"

namespace parquet {
class ColumnReader;
}

namespace tacore {

/// `rows` values of a flat column of BYTE_ARRAYs as text. Arrow's own reader appends values one at a time behind three
/// checks each, which takes three times as long; ids are what the first read of a sample waits for. Throws
/// ParquetException or FormatError; gives fewer values when the column has fewer.
std::shared_ptr<arrow::Array> decode_text(parquet::ColumnReader& column, int64_t rows, arrow::MemoryPool* pool);

/// Ids name files and rows: throws FormatError for one that is null, not UTF-8 or would lead out of its folder. `first`
/// is the row of the first of them.
void check_ids(const arrow::Array& ids, int64_t first, const ErrorContext& where);

}  // namespace tacore
