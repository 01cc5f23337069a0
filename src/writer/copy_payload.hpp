#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
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

/// A remote FILE, and where it goes.
struct RemoteCopy {
  const Payload* payload = nullptr;
  uint64_t begin = 0;
};

/// Reads FILEs in pieces, many at a time whatever file they are of, at most `limit` requests, and returns the CRC-32 of
/// each. `write` gets pieces as they come, in no order, on several threads at a time: bytes of `copies[i]` that belong
/// to `offset`, which counts as `begin` does. Memory as remote_payloads.hpp says. Throws IoError, and what `write`
/// throws.
std::vector<uint32_t> copy_remote(
    std::span<const RemoteCopy> copies, int limit,
    const std::function<void(std::size_t i, uint64_t offset, std::span<const std::byte> bytes)>& write);

}  // namespace tacore
