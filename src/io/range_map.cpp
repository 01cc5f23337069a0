#include "io/range_map.hpp"

#include <algorithm>
#include <utility>

namespace tacore {

void RangeMap::add(uint64_t offset, Bytes bytes) {
  if (find({offset, bytes.size()})) return;
  auto piece = pieces_.lower_bound(offset);
  while (piece != pieces_.end() && piece->first - offset + piece->second.size() <= bytes.size()) {
    piece = pieces_.erase(piece);
  }
  pieces_.insert_or_assign(offset, std::move(bytes));
}

uint64_t RangeMap::size() const {
  uint64_t out = 0;
  for (const auto& [offset, bytes] : pieces_) out += bytes.size();
  return out;
}

std::optional<std::span<const std::byte>> RangeMap::find(ByteRange range) const {
  if (range.size == 0) return std::span<const std::byte>();
  const auto bytes = from(range.offset);
  if (bytes.size() < range.size) return std::nullopt;
  return bytes.first(static_cast<std::size_t>(range.size));
}

std::span<const std::byte> RangeMap::from(uint64_t offset) const {
  const auto next = pieces_.upper_bound(offset);
  if (next == pieces_.begin()) return {};
  const auto& [begin, bytes] = *std::prev(next);
  return offset - begin < bytes.size() ? std::span(bytes).subspan(static_cast<std::size_t>(offset - begin))
                                       : std::span<const std::byte>();
}

uint64_t RangeMap::next(uint64_t offset) const {
  const auto next = pieces_.upper_bound(offset);
  return next == pieces_.end() ? UINT64_MAX : next->first;
}

ByteRange RangeMap::lacking(ByteRange range) const {
  const uint64_t known = std::min<uint64_t>(from(range.offset).size(), range.size);
  uint64_t begin = range.offset + known, end = range.offset + range.size;
  const auto after = pieces_.lower_bound(end);
  if (begin < end && after != pieces_.begin()) {
    const auto& [last, bytes] = *std::prev(after);
    if (last + bytes.size() >= end) end = std::max(begin, last);
  }
  return {begin, end - begin};
}

std::vector<ByteRange> RangeMap::missing(std::span<const ByteRange> ranges) const {
  std::vector<ByteRange> out;
  for (const ByteRange& range : ranges) {
    if (const ByteRange rest = lacking(range); rest.size > 0) out.push_back(rest);
  }
  return out;
}

std::vector<Bytes> RangeMap::read_ranges(std::span<const ByteRange> ranges, const ReadRanges& read) const {
  const auto wanted = missing(ranges);
  auto bytes = wanted.empty() ? std::vector<Bytes>() : read(wanted);
  auto next_read = bytes.begin();
  std::vector<Bytes> out;
  for (const ByteRange& range : ranges) {
    const ByteRange rest = lacking(range);
    if (rest == range && range.size > 0) {
      out.push_back(std::move(*next_read++));
      continue;
    }
    Bytes whole;
    const auto take = [&](uint64_t offset, uint64_t size) {
      const auto part = find({offset, size}).value();
      whole.insert(whole.end(), part.begin(), part.end());
    };
    take(range.offset, rest.offset - range.offset);
    if (rest.size > 0) {
      whole.insert(whole.end(), next_read->begin(), next_read->end());
      ++next_read;
    }
    const uint64_t behind = rest.offset + rest.size;
    take(behind, range.offset + range.size - behind);
    out.push_back(std::move(whole));
  }
  return out;
}

}  // namespace tacore
