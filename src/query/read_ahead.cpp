#include "query/read_ahead.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "io/coalesce.hpp"
#include "tacore/error.hpp"

namespace tacore {

void AheadPlan::expect(const LevelScan& scan, ScanForecast forecast) {
  scans_.push_back(scan);
  forecast.is_likely.resize(static_cast<std::size_t>(scan.num_groups()));
  forecasts_.push_back(std::move(forecast));
  for (const int number : {0, 1}) steps_.push_back({.scan = scans_.size() - 1, .number = number});
}

bool AheadPlan::is_known(ByteRange range) const {
  const auto next = known_.upper_bound(range.offset);
  return (next != known_.begin() && std::prev(next)->second >= range.offset + range.size) || source_.has(range);
}

void AheadPlan::add_known(ByteRange range) {
  uint64_t begin = range.offset, end = range.offset + range.size;
  auto next = known_.upper_bound(begin);
  if (next != known_.begin() && std::prev(next)->second >= begin) --next;
  while (next != known_.end() && next->first <= end) {
    begin = std::min(begin, next->first);
    end = std::max(end, next->second);
    next = known_.erase(next);
  }
  known_.emplace(begin, end);
}

AheadPlan::Steps* AheadPlan::steps_of(std::span<const ByteRange> ranges, int& group) {
  Steps* out = nullptr;
  for (std::size_t i = 0; i < scans_.size(); ++i) {
    const auto step = ranges.empty() ? std::nullopt : scans_[i].step_of(ranges.front());
    if (!step) continue;
    const auto its = scans_[i].ranges_of(*step);
    const bool is_all = std::ranges::all_of(its, [&](ByteRange one) {
      return std::ranges::any_of(ranges, [&](ByteRange range) { return lies_in(one, range); });
    });
    // Several scans may read these columns: it is the one that reads no others.
    if (out && !is_all) continue;
    out = &steps_[2 * i + static_cast<std::size_t>(step->number)];
    group = step->group;
    if (is_all) break;
  }
  return out;
}

void AheadPlan::use(std::span<const ByteRange> ranges) {
  int group = 0;
  Steps* steps = steps_of(ranges, group);
  if (!steps) return;
  if (const auto found = steps->ahead.find(group); found != steps->ahead.end()) {
    steps->num_ahead -= found->second;
    steps->used += found->second;
    steps->ahead.erase(found);
    ++steps->num_used;
  } else if (steps->known.insert(group).second) {
    ++steps->num_used;
    for (const ByteRange& range : scans_[steps->scan].ranges_of({group, steps->number})) steps->used += range.size;
  }
}

bool AheadPlan::take_along(Steps& steps, int group, std::vector<ByteRange>& out, uint64_t& num_bytes) {
  if (steps.known.contains(group)) return true;
  const ScanForecast& forecast = forecasts_[steps.scan];
  uint64_t others = 0;
  for (const Steps& one : steps_)
    others += &one == &steps || forecasts_[one.scan].is_whole ? 0 : one.excess(one.num_ahead);
  std::vector<ByteRange> more;
  uint64_t size = 0;
  for (const ByteRange& range : scans_[steps.scan].ranges_of({group, steps.number})) {
    if (is_known(range)) continue;
    size += range.size;
    more.push_back(range);
  }
  if (num_bytes + size > most_along_) return false;
  const uint64_t ahead = steps.num_ahead + size;
  const uint64_t trips = forecast.is_likely[static_cast<std::size_t>(group)] ? kLikelyTrips : 1;
  if (!forecast.is_whole && others + steps.excess(ahead) > trips * source_.bytes_of_round_trip()) return false;
  steps.known.insert(group);
  if (more.empty()) return true;
  steps.ahead.emplace(group, size);
  steps.num_ahead = ahead;
  num_bytes += size;
  out.insert(out.end(), more.begin(), more.end());
  return true;
}

void AheadPlan::take_along(std::span<Steps* const> all, int group, std::vector<ByteRange>& out, uint64_t& num_bytes) {
  std::vector<Steps*> open(all.begin(), all.end());
  for (; group < scans_[all.front()->scan].num_groups() && !open.empty(); ++group)
    std::erase_if(open, [&](Steps* steps) { return !take_along(*steps, group, out, num_bytes); });
}

std::vector<ByteRange> AheadPlan::request(std::span<const ByteRange> needed) {
  use(needed);
  std::vector<ByteRange> all(needed.begin(), needed.end());
  for (const ByteRange& range : needed) add_known(range);
  int group = 0;
  Steps* first = needed.empty() && !steps_.empty() ? &steps_[0] : steps_of(needed, group);
  if (first) {
    uint64_t num_bytes = 0;
    // Both steps of the row groups that follow, group by group: what is far ahead would be dropped before it is used.
    Steps* const both[] = {first, &steps_[2 * first->scan + (first->number == 0 ? 1 : 0)]};
    take_along(both, group, all, num_bytes);
    for (Steps& steps : steps_) {
      Steps* const one[] = {&steps};
      if (steps.scan != first->scan) take_along(one, 0, all, num_bytes);
    }
  }
  std::vector<ByteRange> out;
  for (const MergedRange& merged : coalesce(all, kRemoteCoalesceGap)) {
    out.push_back(merged.range);
    add_known(merged.range);
  }
  return out;
}

std::vector<ByteRange> AheadPlan::request_missing(std::span<const ByteRange> ranges) {
  std::vector<ByteRange> missing;
  std::ranges::copy_if(ranges, std::back_inserter(missing), [&](ByteRange range) { return !is_known(range); });
  use(ranges);
  return missing.empty() ? missing : request(missing);
}

void AheadSource::expect(const LevelScan& scan, ScanForecast forecast) {
  const std::lock_guard lock(mutex_);
  plan_.expect(scan, std::move(forecast));
}

AheadSource::Piece* AheadSource::find(ByteRange range) const {
  const auto piece = std::ranges::find_if(here_, [&](const Piece& one) { return lies_in(range, one.range); });
  return piece == here_.end() ? nullptr : &*piece;
}

bool AheadSource::has(ByteRange range) const {
  const std::lock_guard lock(mutex_);
  return find(range) || source_->has(range);
}

void AheadSource::read(uint64_t offset, std::span<std::byte> out) const {
  const ByteRange range{offset, out.size()};
  std::ranges::copy(read_ranges({&range, 1})[0], out.begin());
}

std::vector<Bytes> AheadSource::read_ranges(std::span<const ByteRange> ranges) const {
  if (std::ranges::all_of(ranges, [&](ByteRange range) { return source_->has(range); }))
    return source_->read_ranges(ranges);
  for (const ByteRange& range : ranges) require_inside(range);
  std::unique_lock lock(mutex_);
  for (;;) {
    std::vector<ByteRange> missing;
    std::ranges::copy_if(ranges, std::back_inserter(missing), [&](ByteRange range) { return !find(range); });
    if (missing.empty()) break;
    const bool is_on_its_way = std::ranges::any_of(missing, [&](ByteRange range) {
      return std::ranges::any_of(on_their_way_, [&](ByteRange one) { return lies_in(range, one); });
    });
    if (is_on_its_way) {
      arrived_.wait(lock);
    } else {
      fetch(plan_.request(missing), lock);
    }
  }
  plan_.use(ranges);
  std::vector<Bytes> out;
  for (const ByteRange& range : ranges) {
    Piece& piece = *find(range);
    const auto begin = piece.bytes.begin() + static_cast<std::ptrdiff_t>(range.offset - piece.range.offset);
    out.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(range.size));
    piece.used += range.size;
  }
  return out;
}

void AheadSource::fetch(std::vector<ByteRange> ranges, std::unique_lock<std::mutex>& lock) const {
  on_their_way_.insert(on_their_way_.end(), ranges.begin(), ranges.end());
  const auto arrive = [&] {
    for (const ByteRange& range : ranges) on_their_way_.erase(std::ranges::find(on_their_way_, range));
    arrived_.notify_all();
  };
  lock.unlock();
  std::vector<Bytes> bytes;
  try {
    bytes = source_->read_ranges(ranges);
  } catch (...) {
    lock.lock();
    arrive();
    throw;
  }
  lock.lock();
  arrive();
  for (std::size_t i = 0; i < ranges.size(); ++i) here_.push_back({ranges[i], std::move(bytes[i])});
  drop_old(ranges.size());
}

void AheadSource::drop_old(std::size_t num_new) const {
  uint64_t num_bytes = 0;
  for (const Piece& piece : here_) num_bytes += piece.range.size;
  // A filter that passes most rows is read far ahead of the other columns: not used yet, though it came long ago.
  for (const bool only_used : {true, false}) {
    std::size_t num_old = here_.size() - std::min(num_new, here_.size());
    for (auto piece = here_.begin(); num_old > 0 && num_bytes > most_kept_; --num_old) {
      if (only_used && !piece->is_used()) {
        ++piece;
        continue;
      }
      num_bytes -= piece->range.size;
      piece = here_.erase(piece);
    }
  }
}

void AheadSource::begin() const {
  std::unique_lock lock(mutex_);
  auto ranges = plan_.request({});
  if (ranges.empty()) return;
  try {
    fetch(std::move(ranges), lock);
  } catch (const Error&) {  // thrown again where the bytes are needed
  }
}

}  // namespace tacore
