#pragma once

#include <arrow/type_fwd.h>

#include <functional>
#include <map>
#include <span>
#include <string>

#include "io/byte_source.hpp"
#include "tacore/write/parquet_options.hpp"

/// The only writer of Parquet: format 2.6, Arrow schema stored. The same rows give the same bytes.
namespace tacore {

/// Throws ValidationError for options that no Parquet file can be written with.
void check_parquet_options(const ParquetOptions& options);
/// The same for a file of a version before 2.0, which has no levels that could have bounding boxes or an id index.
void check_v1_parquet_options(const ParquetOptions& options);

/// The options for the table of a level: level 0 alone has an id index.
ParquetOptions options_of_level(ParquetOptions options, int level);
/// The options for a `__meta__`, which readers read whole: without covering and id index.
ParquetOptions options_of_meta(ParquetOptions options);

/// Receives the bytes of a Parquet file in order.
using ByteConsumer = std::function<void(std::span<const std::byte>)>;

/// Writes batches as a Parquet file. Throws what `batches` and `out` throw, and FormatError for what Parquet cannot
/// store. `metadata` is called after the last row; its result is stored beside the Arrow schema.
void write_parquet(arrow::RecordBatchReader& batches, const ByteConsumer& out, const ParquetOptions& options,
                   const std::function<std::map<std::string, std::string>()>& metadata = {});

/// The bytes of a table as a Parquet file, with `metadata` beside the Arrow schema.
Bytes encode_parquet(const arrow::Table& table, const ParquetOptions& options = {},
                     const std::map<std::string, std::string>& metadata = {});

}  // namespace tacore
