#include "query/level_scan.hpp"

#include <algorithm>

#include "io/coalesce.hpp"

namespace tacore {
namespace {

/// The limit of prefetched bytes in memory. DuckDB holds as much: a row group for each thread.
constexpr uint64_t kMaxHeld = 32 * 1024 * 1024;

/// Two pages of tables that have a page index of tacore.
constexpr int64_t kMostChosenRows = 16384;

}  // namespace

LevelScan::LevelScan(const LevelTable& level, std::span<const int> filters, std::span<const int> others) {
  const ByteRange file{0, level.source()->size()};
  std::vector<Chunk> all;
  for (int group = 0; group < level.num_row_groups(); ++group) {
    const auto begin = all.size();
    uint64_t size = 0;
    for (int number = 0; number < 2; ++number) {
      for (const ByteRange& range : level.stored_ranges(number == 0 ? filters : others, group)) {
        if (range.size == 0 || !lies_in(range, file)) continue;
        size += std::min(range.size, kRemoteCoalesceGap + 1);
        all.push_back({range, {group, number}});
      }
    }
    // A few pages that an index or bounds chose are read at once: their rows are probably in the result.
    const int64_t num_rows = level.group_begin(group + 1) - level.group_begin(group);
    const bool is_chosen = level.is_selection() && num_rows <= kMostChosenRows;
    if (size > kRemoteCoalesceGap && !is_chosen) continue;
    for (auto i = begin; i < all.size(); ++i) all[i].step.number = 0;
  }
  std::ranges::sort(all, {}, [](const Chunk& chunk) { return chunk.range.offset; });
  for (const Chunk& chunk : all) {
    // A damaged file may state anything; its reader will report it.
    if (chunks_.empty() || chunk.range.offset >= chunks_.back().end()) chunks_.push_back(chunk);
  }
  groups_.resize(static_cast<std::size_t>(level.num_row_groups()));
  for (std::size_t i = 0; i < chunks_.size(); ++i) {
    auto& [begin, end] = groups_[static_cast<std::size_t>(chunks_[i].step.group)];
    if (begin == end) begin = i;
    end = i + 1;
  }
}

std::optional<LevelScan::Step> LevelScan::step_of(ByteRange range) const {
  const auto chunk = std::ranges::upper_bound(chunks_, range.offset, {}, &Chunk::end);
  if (chunk == chunks_.end() || chunk->end() > range.offset + range.size) return std::nullopt;
  return chunk->step;
}

std::vector<ByteRange> LevelScan::ranges_of(Step step) const {
  std::vector<ByteRange> out;
  const auto& [begin, end] = groups_[static_cast<std::size_t>(step.group)];
  for (auto i = begin; i < end; ++i) {
    if (chunks_[i].step == step) out.push_back(chunks_[i].range);
  }
  return out;
}

void ScanReader::read(std::span<const LevelScan> scans, uint64_t offset, std::span<std::byte> out) {
  const ByteRange range{offset, out.size()};
  const auto take = [&] {
    const auto part = pieces_.find(range);
    if (part) std::ranges::copy(*part, out.begin());
    return part.has_value();
  };
  {
    const std::lock_guard lock(mutex_);
    if (take()) return;
  }
  const auto ranges = ranges_with(scans, range);
  if (ranges.empty()) return source_->read(offset, out);
  auto bytes = source_->read_ranges(ranges);
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < ranges.size(); ++i) pieces_.add(ranges[i].offset, std::move(bytes[i]));
  take();
}

/// The ranges to read: `range`, and those that each scan which this reader may serve reads in the same step. Empty
/// where that is only `range`.
std::vector<ByteRange> ScanReader::ranges_with(std::span<const LevelScan> scans, ByteRange range) {
  if (source_->has(range)) return {};
  const std::lock_guard lock(mutex_);
  std::set<const LevelScan*> others;
  std::optional<std::vector<ByteRange>> along;
  for (const LevelScan& scan : scans) {
    if (ruled_out_.contains(&scan)) continue;
    const auto step = scan.step_of(range);
    if (!step) {
      others.insert(&scan);
      continue;
    }
    if (group_ != step->group) pieces_.clear();
    group_ = step->group;
    auto its = scan.ranges_of(*step);
    if (along) {
      std::erase_if(*along, [&](const ByteRange& one) { return std::ranges::find(its, one) == its.end(); });
    } else {
      along = std::move(its);
    }
  }
  if (!along) return {};
  ruled_out_.merge(others);
  std::vector<ByteRange> all{range};
  uint64_t size = range.size;
  for (const ByteRange& other : *along) {
    if (lies_in(other, range) || source_->has(other) || pieces_.find(other)) continue;
    if (other.size > kMaxHeld || size + other.size > kMaxHeld) continue;
    size += other.size;
    all.push_back(other);
  }
  if (size + pieces_.size() > kMaxHeld) pieces_.clear();
  std::vector<ByteRange> out;
  for (const MergedRange& merged : coalesce(all, kRemoteCoalesceGap)) out.push_back(merged.range);
  return out == std::vector{range} ? std::vector<ByteRange>() : out;
}

}  // namespace tacore
