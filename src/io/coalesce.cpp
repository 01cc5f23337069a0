#include "io/coalesce.hpp"

#include <algorithm>
#include <utility>

#include "base/checked_math.hpp"
#include "tacore/interrupt.hpp"

namespace tacore {
namespace {

/// Positions of the ranges that are not empty, by offset. Stable: equal offsets keep their order.
std::vector<std::size_t> positions_by_offset(std::span<const ByteRange> ranges) {
  std::vector<std::size_t> out;
  out.reserve(ranges.size());
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    if (ranges[i].size > 0) out.push_back(i);
  }
  std::stable_sort(out.begin(), out.end(),
                   [&](std::size_t a, std::size_t b) { return ranges[a].offset < ranges[b].offset; });
  return out;
}

}  // namespace

std::vector<MergedRange> coalesce(std::span<const ByteRange> ranges, uint64_t max_gap) {
  for (const ByteRange& range : ranges) checked_add(range.offset, range.size, "byte range");
  std::vector<MergedRange> out;
  uint64_t end = 0;
  for (const std::size_t position : positions_by_offset(ranges)) {
    const ByteRange& range = ranges[position];
    if (out.empty() || (range.offset > end && range.offset - end > max_gap)) {
      out.push_back({{range.offset, 0}, {}});
      end = range.offset;
    }
    end = std::max(end, range.offset + range.size);
    out.back().range.size = end - out.back().range.offset;
    out.back().members.push_back(position);
  }
  return out;
}

void scatter(const MergedRange& merged, std::span<const ByteRange> ranges, Bytes bytes, std::vector<Bytes>& out) {
  if (merged.members.size() == 1) {
    out[merged.members[0]] = std::move(bytes);
    return;
  }
  scatter(merged, ranges, bytes, [&](std::size_t member, std::span<const std::byte> part) {
    throw_if_interrupted();
    out[member].assign(part.begin(), part.end());
  });
}

}  // namespace tacore
