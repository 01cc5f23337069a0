#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "base/byte_range.hpp"
#include "tacore/types.hpp"

namespace tacore {

/// The parts of one file that are in memory: pieces of bytes, sorted by offset.
class RangeMap {
 public:
  /// Adds a piece. Pieces that lie inside it are dropped; it is dropped itself where it lies inside another one.
  void add(uint64_t offset, Bytes bytes);
  void clear() { pieces_.clear(); }
  /// Sum of the sizes of all pieces.
  uint64_t size() const;

  /// The bytes of `range`, if one piece has all of them. An empty range is always found.
  std::optional<std::span<const std::byte>> find(ByteRange range) const;
  /// The bytes from `offset` to the end of a piece; none where no piece has the byte at `offset`.
  std::span<const std::byte> from(uint64_t offset) const;
  /// Where the first piece after `offset` begins; UINT64_MAX where there is none.
  uint64_t next(uint64_t offset) const;
  /// The ranges that find() does not find, in the order given: without their first and last bytes, where pieces have
  /// these.
  std::vector<ByteRange> missing(std::span<const ByteRange> ranges) const;

  using ReadRanges = std::function<std::vector<Bytes>(std::span<const ByteRange>)>;
  /// The bytes of each range: from the pieces, or, all missing ones with one call, from `read`.
  std::vector<Bytes> read_ranges(std::span<const ByteRange> ranges, const ReadRanges& read) const;

 private:
  /// The part of `range` that is left without the first and the last bytes that pieces have. Empty where they have all.
  ByteRange lacking(ByteRange range) const;

  std::map<uint64_t, Bytes> pieces_;  ///< by offset; their ends ascend, too
};

}  // namespace tacore
