#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace tacore {

/// Options of the Parquet files of a dataset: level tables, `__meta__` and index. The names are those of Arrow.
struct ParquetOptions {
  std::string compression = "zstd";           ///< `zstd`, `snappy`, `gzip`, `brotli`, `lz4` or `none`
  std::optional<int> compression_level = {};  ///< not set: 3 for zstd (docs/format.md), otherwise Arrow's default
  int64_t row_group_size = 65536;             ///< maximal number of rows of a row group, at least 1
  bool use_content_defined_chunking = true;   ///< page boundaries depend on the values only, for deduplication
  int64_t min_chunk_size = 32 * 1024;         ///< minimal bytes of a content-defined page before encoding, at least 1
  int64_t max_chunk_size = 128 * 1024;        ///< maximal bytes of a content-defined page before encoding
  int64_t data_page_size = 1024 * 1024;       ///< maximal encoded bytes of a data page, about; at least 1
  bool write_statistics = true;               ///< minimum, maximum and number of nulls of each row group and column
  std::optional<bool> use_dictionary = {};    ///< dictionary-encode all columns or none; not set: text that repeats
  /// Write what readers need to find the samples of a place without reading the others: for each WKB column a column of
  /// bounding boxes (`bbox`: xmin, ymin, xmax and ymax as float32, rounded outwards to 1/128 of a degree), as the
  /// covering of GeoParquet 1.1; a page index; and data pages of 8,192 rows instead of content-defined ones.
  bool covering = false;
  /// Write an id index of level 0, by which readers find the samples of an id (`read("id")`, `WHERE id = 'id'`) without
  /// reading the others, also from a server: about 2.5 bytes for each sample; with page index and pages as above.
  bool id_index = false;

  bool operator==(const ParquetOptions&) const = default;
};

}  // namespace tacore
