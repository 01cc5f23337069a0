#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/byte_range.hpp"
#include "tacore/types.hpp"

namespace tacore {

/// A seek on a local disk takes about as long as reading this much: ranges with a smaller gap are read as one.
inline constexpr uint64_t kLocalCoalesceGap = 4 * 1024;
/// A round trip to a server takes about as long as downloading this much.
inline constexpr uint64_t kRemoteCoalesceGap = 64 * 1024;

/// One read that serves several ranges.
struct MergedRange {
  ByteRange range;
  std::vector<std::size_t> members;  ///< positions in the input that lie inside `range`
};

/// Fewer reads for many ranges (pure). Two neighbours in offset order join when the gap between
/// them is at most `max_gap`. Output is sorted by offset, and so are the members of each. Input may
/// be unsorted, overlap or repeat; empty ranges belong to no merged range. Throws FormatError when
/// offset + size overflows.
std::vector<MergedRange> coalesce(std::span<const ByteRange> ranges, uint64_t max_gap);

/// The inverse: calls `take(member, bytes)` with the part of `bytes`, which are those of `merged`, of each of its
/// members in `ranges`.
template <class Take>
void scatter(const MergedRange& merged, std::span<const ByteRange> ranges, std::span<const std::byte> bytes,
             const Take& take) {
  for (const std::size_t member : merged.members) {
    const ByteRange& range = ranges[member];
    take(member, bytes.subspan(static_cast<std::size_t>(range.offset - merged.range.offset),
                               static_cast<std::size_t>(range.size)));
  }
}

/// Copies these parts into `out`, which has one buffer for each of `ranges`.
void scatter(const MergedRange& merged, std::span<const ByteRange> ranges, Bytes bytes, std::vector<Bytes>& out);

}  // namespace tacore
