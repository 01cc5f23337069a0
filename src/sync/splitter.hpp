#pragma once

#include <cstddef>
#include <span>

namespace tacore {

/// How large chunks are in the mean, in bytes, a power of 2: those of samples, and those of Parquet files, of which
/// rows that are inserted change a few pages in each column of each row group. A chunk has between a quarter of that
/// and four times as much; only the last of a stream may be smaller.
inline constexpr std::size_t kMeanChunk = 64 << 10, kMeanTableChunk = 16 << 10;
inline constexpr std::size_t kMaxChunk = 4 * kMeanChunk;

/// The size of the first chunk of a stream that begins with `bytes`: at least four times `mean` of it, or all. Where a
/// chunk ends depends on the 64 bytes before and on how much of it is before those, so that two streams which differ
/// in one place have the same chunks again soon behind it. Never 0 but for an empty stream. Pure; changing it makes
/// all stores forget what they know.
///
/// FastCDC (Xia et al., "FastCDC: a Fast and Efficient Content-Defined Chunking Approach for Data Deduplication",
/// USENIX ATC 2016) with a Gear hash of 64 bits and normalised chunking of level 2.
std::size_t first_chunk(std::span<const std::byte> bytes, std::size_t mean = kMeanChunk) noexcept;

}  // namespace tacore
