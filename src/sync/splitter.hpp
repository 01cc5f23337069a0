#pragma once

#include <cstddef>
#include <span>

namespace tacore {

/// The mean size of chunks in bytes, a power of 2: of samples, and of Parquet files, in which inserted rows change a
/// few pages in each column of each row group. A chunk has from a quarter of the mean to four times the mean; only the
/// last of a stream may be smaller.
inline constexpr std::size_t kMeanChunk = 64 << 10, kMeanTableChunk = 16 << 10;
inline constexpr std::size_t kMaxChunk = 4 * kMeanChunk;

/// The size of the first chunk of a stream that begins with `bytes`: at least four times `mean` of it, or all. The end
/// of a chunk depends on the 64 bytes before it and on the size so far, so that two streams which differ in one
/// location have the same chunks again soon after it. Never 0 except for an empty stream. Pure; any change to this
/// function makes all existing chunks in stores useless.
///
/// FastCDC (Xia et al., "FastCDC: a Fast and Efficient Content-Defined Chunking Approach for Data Deduplication",
/// USENIX ATC 2016) with a Gear hash of 64 bits and normalised chunking of level 2.
std::size_t first_chunk(std::span<const std::byte> bytes, std::size_t mean = kMeanChunk) noexcept;

}  // namespace tacore
