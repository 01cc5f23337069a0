#pragma once

#include <arrow/io/type_fwd.h>
#include <arrow/type_fwd.h>

#include <memory>

#include "tacore/error.hpp"

namespace parquet {
class FileMetaData;
class ParquetFileReader;
namespace arrow {
class FileReader;
}
}  // namespace parquet

namespace tacore {

/// Opens a Parquet file by its footer, as ParquetFileReader::Open() does, for the reading of columns alone: it gives no
/// page index, no Bloom filters, and buffers nothing ahead. Pages of ZSTD are decompressed by the context of the
/// thread: Arrow makes a new one for each page, which takes longer than a page of a few rows, of which a dataset has
/// millions. The file and its readers throw ParquetException.
std::unique_ptr<parquet::ParquetFileReader> open_parquet(std::shared_ptr<arrow::io::RandomAccessFile> file,
                                                         arrow::MemoryPool* pool,
                                                         std::shared_ptr<parquet::FileMetaData> footer);

/// As open_parquet(), to read Arrow tables with. Uses no threads. Throws ParquetException and FormatError.
std::unique_ptr<parquet::arrow::FileReader> open_arrow_reader(std::shared_ptr<arrow::io::RandomAccessFile> file,
                                                              arrow::MemoryPool* pool,
                                                              std::shared_ptr<parquet::FileMetaData> footer,
                                                              const ErrorContext& where);

}  // namespace tacore
