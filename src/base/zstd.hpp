#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace tacore {

// ZSTD, decompressed. Each thread keeps one context: a new one for each block or page costs more than a small page.
// Both functions throw FormatError, which says what is wrong, for data that are damaged.

/// Decompresses `in` into `out` until `out` is full; data beyond that are ignored. Throws FormatError, too, for data
/// that end before.
void decompress_zstd_start(std::span<const std::byte> in, std::span<std::byte> out);

/// Decompresses all of `in` into `out`, and returns how many bytes it holds; nullopt when they are more than `out`.
std::optional<std::size_t> decompress_zstd(std::span<const std::byte> in, std::span<std::byte> out);

}  // namespace tacore
