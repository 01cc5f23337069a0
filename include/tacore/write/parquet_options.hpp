#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace tacore {

/// How the Parquet files of a dataset are written, its `__meta__` included (§6.4).
struct ParquetOptions {
  /// `zstd`, `snappy`, `gzip`, `brotli`, `lz4` or `none`.
  std::string compression = "zstd";
  /// Within the range of the compression; 3 for zstd when not given (docs/format.md), else its own default.
  std::optional<int> compression_level = {};
  int64_t row_group_rows = 65536;  ///< at most so many rows of a row group, from 1 on
  /// Data pages end where the values say so, not after so many bytes: what two versions of a table have in common is
  /// the same bytes in both.
  bool content_defined_chunks = true;
  /// Bounds of such a page in bytes of its values and levels before they are encoded. These make 64 kB on average.
  int64_t min_chunk_bytes = 32 * 1024, max_chunk_bytes = 128 * 1024;
  int64_t page_bytes = 1024 * 1024;  ///< a data page ends after so many encoded bytes, from 1 on
  bool statistics = true;            ///< of each row group and column: least, greatest, number of nulls
};

}  // namespace tacore
