#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "io/output_file.hpp"
#include "writer/tree.hpp"

/// Samples on their way into a file whose places are planned.
namespace tacore {

/// What is copied at once: small samples many at once, large ones one piece after another. A piece that stays in the
/// cache is read, summed and written at the speed of memory.
inline constexpr uint64_t kCopyPiece = 1 << 20;

/// Divides `count` things that lie behind each other: neighbours together until they make a piece, large ones alone.
/// Returns the first of each, and `count`.
std::vector<std::size_t> pieces_of(std::size_t count, const std::function<uint64_t(std::size_t)>& size);

/// Copies the bytes of a FILE to `begin`, zeros that no file system stores aside, and returns their CRC-32. `tell`
/// hears of each piece how large it was. Throws as PayloadReader does, and IoError.
uint32_t copy_payload(const Payload& payload, const OutputFile& file, uint64_t begin,
                      const std::function<void(uint64_t num_bytes)>& tell);

}  // namespace tacore
