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
#include "io/range_map.hpp"
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
  int num_groups() const noexcept { return static_cast<int>(groups_.size()); }

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

/// The bytes of a level for one of its scans. DuckDB reads one column of a row group after the other where a query has
/// a filter: of a remote level each would be a round trip. Here the columns of a step are read together. Safe from
/// several threads.
class ScanReader {
 public:
  explicit ScanReader(std::shared_ptr<const ByteSource> source) : source_(std::move(source)) {}

  /// As ByteSource::read(). `scans`: all scans of this level by the query, the same in each call. The reads tell which
  /// of them this reader serves; ranges that all remaining candidates need are prefetched. Nothing is prefetched for a
  /// local level.
  void read(std::span<const LevelScan> scans, uint64_t offset, std::span<std::byte> out);

 private:
  std::vector<ByteRange> ranges_with(std::span<const LevelScan> scans, ByteRange range);

  std::shared_ptr<const ByteSource> source_;
  std::mutex mutex_;
  std::set<const LevelScan*> ruled_out_ = {};  ///< scans that this reader does not serve
  int group_ = -1;                             ///< the row group that is read
  RangeMap pieces_ = {};                       ///< the prefetched bytes of that row group
};

}  // namespace tacore
