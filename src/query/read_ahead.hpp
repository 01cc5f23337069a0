#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "io/byte_source.hpp"
#include "query/level_scan.hpp"

namespace tacore {

/// The row groups that a scan will read, as far as its plan tells before it begins.
struct ScanForecast {
  bool is_whole = false;             ///< it certainly reads all row groups, with all columns
  std::vector<bool> is_likely = {};  ///< it probably reads all columns of these row groups; empty: nothing is known
};

/// Plans the requests of a statement for a level on a server that is far away. Each request also asks for the bytes
/// that the statement will probably read next ("takes them along"). For each step of a scan these are at most as many
/// bytes as the statement has used of that step, and for all steps together the bytes of one round trip more. So the
/// bytes that are never used take at most as long as those that were used, and one round trip; and the requests of a
/// scan that reads everything double in size. Of row groups that a scan probably reads they are the bytes of
/// kLikelyTrips round trips: a wrong forecast costs as much at most.
class AheadPlan {
 public:
  /// `most_along`: the most bytes that one request takes along.
  explicit AheadPlan(const ByteSource& source, uint64_t most_along = uint64_t{16} << 20)
      : source_(source), most_along_(most_along) {}

  static constexpr uint64_t kLikelyTrips = 8;

  /// Adds a scan of the level.
  void expect(const LevelScan& scan, ScanForecast forecast);
  /// The ranges to request where `needed` are not there, with what is taken along. Without `needed`, what is worth a
  /// request before anything is needed: at most the bytes of a round trip.
  std::vector<ByteRange> request(std::span<const ByteRange> needed);
  /// As request(), for those of `ranges` that were not requested before. Returns nothing when all of them were.
  std::vector<ByteRange> request_missing(std::span<const ByteRange> ranges);
  /// Takes note that the statement reads these ranges.
  void use(std::span<const ByteRange> ranges);

 private:
  /// A step of a scan, in all row groups.
  struct Steps {
    std::size_t scan = 0;
    int number = 0;
    uint64_t used = 0;                   ///< bytes
    int num_used = 0;                    ///< row groups
    std::map<int, uint64_t> ahead = {};  ///< bytes that were taken along and are not used yet, by row group
    std::set<int> known = {};            ///< row groups that were used or taken along
    uint64_t num_ahead = 0;              ///< the sum of `ahead`

    uint64_t excess(uint64_t bytes) const noexcept { return bytes > evidence() ? bytes - evidence() : 0; }
    /// Rows of one row group that passed a filter tell nothing of the others.
    uint64_t evidence() const noexcept { return number == 0 || num_used > 1 ? used : 0; }
  };

  /// The step of a scan that reads these ranges; sets its row group. Returns nullptr when no scan reads them.
  Steps* steps_of(std::span<const ByteRange> ranges, int& group);
  /// Takes along a step of a row group; false where that is not worth it.
  bool take_along(Steps& steps, int group, std::vector<ByteRange>& out, uint64_t& num_bytes);
  /// Takes along some steps of one scan in the row groups from `group` on, as far as that is worth it.
  void take_along(std::span<Steps* const> all, int group, std::vector<ByteRange>& out, uint64_t& num_bytes);
  bool is_known(ByteRange range) const;  ///< it was requested, or is in memory
  void add_known(ByteRange range);

  const ByteSource& source_;
  uint64_t most_along_;
  std::deque<LevelScan> scans_ = {};
  std::vector<ScanForecast> forecasts_ = {};
  std::vector<Steps> steps_ = {};            ///< two of each scan
  std::map<uint64_t, uint64_t> known_ = {};  ///< what was requested: ends by begin, without overlap
};

/// A level that is far away, read as an AheadPlan says. Threads that need bytes that are on their way wait for them.
/// Safe from several threads; expect() must be called before the first read that it concerns.
class AheadSource final : public ByteSource {
 public:
  /// Keeps at most `most_kept` bytes, and those of the last request.
  explicit AheadSource(std::shared_ptr<const ByteSource> source, uint64_t most_kept = uint64_t{64} << 20)
      : source_(std::move(source)), most_kept_(most_kept), plan_(*source_, most_kept / 4) {}

  void expect(const LevelScan& scan, ScanForecast forecast);
  /// Requests what is worth a request before anything is needed. Failures are left to the reads that need it.
  void begin() const;

  const std::string& name() const noexcept override { return source_->name(); }
  uint64_t size() const override { return source_->size(); }
  bool is_local() const noexcept override { return false; }
  bool has(ByteRange range) const override;
  void read(uint64_t offset, std::span<std::byte> out) const override;
  std::vector<Bytes> read_ranges(std::span<const ByteRange> ranges) const override;

 private:
  /// Bytes that were requested together.
  struct Piece {
    ByteRange range;
    Bytes bytes;
    uint64_t used = 0;

    /// True when at most the gaps between the columns that were read are left.
    bool is_used() const noexcept { return used >= range.size - range.size / 4; }
  };

  /// The piece with all bytes of a range; nullptr where there is none. With the mutex held.
  Piece* find(ByteRange range) const;
  /// Reads ranges and keeps them. With `lock`, which is released meanwhile.
  void fetch(std::vector<ByteRange> ranges, std::unique_lock<std::mutex>& lock) const;
  /// Drops pieces until few enough bytes are kept, but not the last `num_new`. With the mutex held.
  void drop_old(std::size_t num_new) const;

  std::shared_ptr<const ByteSource> source_;
  uint64_t most_kept_;
  mutable std::mutex mutex_;
  mutable std::condition_variable arrived_;
  mutable AheadPlan plan_;
  mutable std::vector<ByteRange> on_their_way_ = {};
  mutable std::list<Piece> here_ = {};  ///< the oldest first
};

}  // namespace tacore
