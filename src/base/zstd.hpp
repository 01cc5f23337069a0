#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace tacore {

// Decompression of ZSTD. Each thread keeps one context: to make one for each block or page takes longer than a small
// page. Both functions throw FormatError for damaged data.

/// Decompresses the beginning of `in` until `out` is full, and ignores the data behind it. Throws FormatError, too,
/// where `in` holds fewer bytes than `out`.
void decompress_zstd_start(std::span<const std::byte> in, std::span<std::byte> out);

/// Decompresses all of `in` into `out`. Returns the number of bytes, or nullopt where `out` is too small for them.
std::optional<std::size_t> decompress_zstd(std::span<const std::byte> in, std::span<std::byte> out);

}  // namespace tacore
