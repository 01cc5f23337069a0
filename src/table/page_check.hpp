#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "io/byte_source.hpp"
#include "io/range_map.hpp"
#include "tacore/error.hpp"

namespace tacore {

/// The location of the pages of a column in a row group, by the footer.
struct ColumnChunk {
  uint64_t begin = 0;
  uint64_t size = 0;
  uint64_t uncompressed_size = 0;
  uint64_t value_size = 1;  ///< that a value in a dictionary takes at least
  uint64_t num_values = 0;  ///< in all its data pages, nulls among them
};

/// The sizes that a page header states (Parquet's thrift file, PageHeader).
struct PageSizes {
  int64_t header = 0;  ///< the bytes of the header itself
  int64_t uncompressed = -1;
  int64_t compressed = -1;
  int64_t dictionary_values = 0;
  int64_t values = 0;  ///< of a data page
};

/// Parses the page header at the start of `bytes`; nullopt when it is longer than `bytes`. Throws FormatError for
/// anything else.
std::optional<PageSizes> parse_page_header(std::span<const std::byte> bytes);

/// Verifies page headers against the file, for a reader that allocates what they state before it reads a page: DuckDB
/// takes gigabytes for a page of ten bytes, and reads on into the next column where values are missing. Every header is
/// checked once, just before its first byte is handed on. Safe from several threads.
class PageCheck {
 public:
  PageCheck(std::vector<ColumnChunk> chunks, std::shared_ptr<const ByteSource> source, ErrorContext where);

  /// Checks `bytes` that were read at `offset` before they are handed on. Throws FormatError for an impossible page.
  void check(uint64_t offset, std::span<const std::byte> bytes);

 private:
  struct Chunk : ColumnChunk {
    uint64_t next = 0;    ///< the first header that is not checked yet
    uint64_t values = 0;  ///< of the pages before it
  };

  PageSizes header_at(const Chunk& chunk, uint64_t offset, std::span<const std::byte> bytes);
  Bytes read(ByteRange range);
  void check_sizes(const Chunk& chunk, const PageSizes& page) const;
  void count_values(Chunk& chunk, const PageSizes& page, bool last) const;
  [[noreturn]] void fail(const std::string& what, uint64_t offset) const;

  std::shared_ptr<const ByteSource> source_;
  ErrorContext where_;
  std::mutex mutex_;
  std::vector<Chunk> chunks_;  ///< by where they begin
  RangeMap block_ = {};        ///< bytes of a remote source that were read for headers alone
};

}  // namespace tacore
