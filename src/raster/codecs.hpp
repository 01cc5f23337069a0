#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "io/byte_source.hpp"
#include "raster/tiff_layout.hpp"

namespace tacore {

/// Fills `out` with what `in` decompresses to; what comes behind it is left alone, as other readers do. Throws
/// FormatError, which says what is wrong with the data, when they are damaged or end too soon. Safe from several
/// threads. `in` may hold up to `most` bytes, of which the first are wanted.
void decompress(Compression compression, std::span<const std::byte> in, std::span<std::byte> out, uint64_t most);

/// One ZSTD frame at a level of 1 to 22, as libtiff makes it: without the size of the content and without checksum.
/// Safe from several threads.
Bytes compress_zstd(std::span<const std::byte> in, int level);

/// The most bytes that `size` bytes can decompress to: what is larger is a lie.
uint64_t most_decompressed(Compression compression, uint64_t size);

/// Values of `size` bytes each, from one byte order to the other.
void swap_bytes(std::span<std::byte> values, std::size_t size);

/// Undoes the predictor of a row of pixels, in place. `num_bands` values of `size` bytes belong together; for
/// horizontal differences (2) they are in the byte order of this machine, and those of floating point (3) are so
/// afterwards. `scratch` is as long as the row.
void undo_predictor(int predictor, std::span<std::byte> row, std::size_t num_bands, std::size_t size,
                    std::span<std::byte> scratch);

/// The inverse, for one band, in the byte order of this machine.
void apply_predictor(int predictor, std::span<std::byte> row, std::size_t size, std::span<std::byte> scratch);

}  // namespace tacore
