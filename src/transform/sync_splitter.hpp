#pragma once

#include <cstddef>
#include <span>

namespace tacore {

/// Sizes of chunks in bytes; only the last of a stream may be smaller. The middle one is about the mean.
inline constexpr std::size_t kMinChunk = 16 << 10;
inline constexpr std::size_t kMeanChunk = 64 << 10;
inline constexpr std::size_t kMaxChunk = 256 << 10;

/// The size of the first chunk of a stream that begins with `bytes`: at least kMaxChunk of it, or all of it. Where a
/// chunk ends depends on the 64 bytes before and on how much of it is before those, so that two streams which differ
/// in one place have the same chunks again soon behind it. Never 0 but for an empty stream. Pure; changing it makes
/// all stores forget what they know.
///
/// FastCDC (Xia et al., "FastCDC: a Fast and Efficient Content-Defined Chunking Approach for Data Deduplication",
/// USENIX ATC 2016) with a Gear hash of 64 bits and normalised chunking of level 2.
std::size_t first_chunk(std::span<const std::byte> bytes) noexcept;

}  // namespace tacore
