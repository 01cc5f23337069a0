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

/// Opens a Parquet file, whose footer was read before, to read columns. PreBuffer() must not be called, nor by a reader
/// of Arrow tables, which does so by default: it casts the file to Arrow's own class. There are no page index and no
/// Bloom filters. Pages of ZSTD are decompressed by the context of the thread: Arrow makes a new one for each page,
/// which takes longer than a page of a few rows, of which a dataset has millions. The file and its readers throw
/// ParquetException.
std::unique_ptr<parquet::ParquetFileReader> open_parquet(std::shared_ptr<arrow::io::RandomAccessFile> file,
                                                         arrow::MemoryPool* pool,
                                                         std::shared_ptr<parquet::FileMetaData> footer);

/// Opens a Parquet file as open_parquet() does, to read tables of Arrow in the calling thread. Throws ParquetException
/// and FormatError.
std::unique_ptr<parquet::arrow::FileReader> open_arrow_reader(std::shared_ptr<arrow::io::RandomAccessFile> file,
                                                              arrow::MemoryPool* pool,
                                                              std::shared_ptr<parquet::FileMetaData> footer,
                                                              const ErrorContext& where);

}  // namespace tacore
