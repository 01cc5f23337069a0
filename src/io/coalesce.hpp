#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/byte_range.hpp"

namespace tacore {

/// What a server sends in about the time of a round trip to it: ranges at most this far apart come faster as one.
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

}  // namespace tacore
