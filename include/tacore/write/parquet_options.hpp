#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace tacore {

/// How the Parquet files of a dataset are written, its `__meta__` included (§6.4). The names are those of Arrow.
struct ParquetOptions {
  std::string compression = "zstd";           ///< `zstd`, `snappy`, `gzip`, `brotli`, `lz4` or `none`
  std::optional<int> compression_level = {};  ///< not set: 3 for zstd (docs/format.md), otherwise Arrow's default
  int64_t row_group_size = 65536;             ///< maximal number of rows of a row group, at least 1
  bool use_content_defined_chunking = true;   ///< pages end where the values say so: equal values, equal bytes
  int64_t min_chunk_size = 32 * 1024;         ///< minimal bytes of such a page before it is encoded, at least 1
  int64_t max_chunk_size = 128 * 1024;        ///< maximal bytes of such a page before it is encoded
  int64_t data_page_size = 1024 * 1024;       ///< a data page ends after so many encoded bytes, at least 1
  bool write_statistics = true;               ///< minimum, maximum and number of nulls of each row group and column
  std::optional<bool> use_dictionary = {};    ///< of all columns, or of none; not set: of text that repeats

  bool operator==(const ParquetOptions&) const = default;
};

}  // namespace tacore
