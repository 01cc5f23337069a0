#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "io/byte_source.hpp"
#include "table/level_table.hpp"

namespace tacore {

/// The read plan of one scan of a level: for each row group first the columns of its filters, then, where rows are
/// left, the other columns; all in one step where they are few bytes. Immutable.
class LevelScan {
 public:
  /// Takes stored columns, by their positions in the file.
  LevelScan(const LevelTable& level, std::span<const int> filters, std::span<const int> others);

  struct Step {
    int group = 0;
    int number = 0;

    bool operator==(const Step&) const = default;
  };
  /// The step of the first column that ends in `range`; nothing where this scan reads none of it.
  std::optional<Step> step_of(ByteRange range) const;
  std::vector<ByteRange> ranges_of(Step step) const;

  bool operator==(const LevelScan&) const = default;

 private:
  struct Chunk {
    ByteRange range;
    Step step;

    uint64_t end() const noexcept { return range.offset + range.size; }
    bool operator==(const Chunk&) const = default;
  };

  std::vector<Chunk> chunks_;                                     ///< in the order of the file, without overlap
  std::vector<std::pair<std::size_t, std::size_t>> groups_ = {};  ///< for each: its first chunk, and the one after
};

/// Reads the bytes of a level for one scan. DuckDB reads the columns of a row group one after the other where a query
/// has a filter, which for a remote level would be a request each. Here the columns of a step are fetched in one batch.
/// Thread-safe.
class ScanReader {
 public:
  explicit ScanReader(std::shared_ptr<const ByteSource> source) : source_(std::move(source)) {}

  /// As ByteSource::read(). `scans`: all scans of this level by the query, the same in each call. Which of them this is
  /// shows as it reads; what all remaining candidates read is prefetched. Nothing is prefetched for a local level.
  void read(std::span<const LevelScan> scans, uint64_t offset, std::span<std::byte> out);

 private:
  struct Piece {
    ByteRange range;
    Bytes bytes;
  };

  std::span<const std::byte> part_of(ByteRange part) const;
  std::vector<ByteRange> ranges_with(std::span<const LevelScan> scans, ByteRange range);

  std::shared_ptr<const ByteSource> source_;
  std::mutex mutex_;
  std::set<const LevelScan*> ruled_out_ = {};  ///< scans that are ruled out
  int group_ = -1;                             ///< the current row group
  std::vector<Piece> pieces_ = {};             ///< its bytes that were fetched
};

}  // namespace tacore
