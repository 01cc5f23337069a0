#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "io/byte_source.hpp"
#include "raster/tiff_layout.hpp"

namespace tacore {

/// Decompresses `in` into `out` until `out` is full; data beyond that is ignored, as in other readers. `in` may hold up
/// to `most` bytes. Throws FormatError, which says what is wrong, for data that are damaged or end too soon.
/// Thread-safe.
void decompress(Compression compression, std::span<const std::byte> in, std::span<std::byte> out, uint64_t most);

/// Compresses one ZSTD frame at a level of 1 to 22, as libtiff does: without content size and checksum. Safe from
/// several threads.
Bytes compress_zstd(std::span<const std::byte> in, int level);

/// The most bytes that `size` compressed bytes can decompress to; a larger stated size cannot be true.
uint64_t most_decompressed(Compression compression, uint64_t size);

/// Swaps the byte order of values of `size` bytes each.
void swap_bytes(std::span<std::byte> values, std::size_t size);

/// Undoes the TIFF predictor of a row of pixels, in place. Each pixel has `num_bands` values of `size` bytes. Values of
/// horizontal differencing (2) must be in the byte order of this machine; those of floating point (3) are afterwards.
/// `scratch` is as long as the row.
void undo_predictor(int predictor, std::span<std::byte> row, std::size_t num_bands, std::size_t size,
                    std::span<std::byte> scratch);

/// Applies the TIFF predictor to a row of one band, in the byte order of this machine.
void apply_predictor(int predictor, std::span<std::byte> row, std::size_t size, std::span<std::byte> scratch);

}  // namespace tacore
