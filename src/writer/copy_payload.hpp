#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "io/output_file.hpp"
#include "writer/tree.hpp"

/// Copying samples into a file whose layout is planned.
namespace tacore {

/// The unit of copying: small samples are grouped, large ones are divided. A piece that stays in the cache is read,
/// summed and written at the speed of memory.
inline constexpr uint64_t kCopyPiece = 1 << 20;

/// Groups `count` consecutive items into pieces: neighbours until they fill a piece, a large item as a piece of its
/// own. Returns the first item of each piece, and `count`.
std::vector<std::size_t> pieces_of(std::size_t count, const std::function<uint64_t(std::size_t)>& size);

/// Copies the bytes of a FILE to `begin`, except for holes of sparse files, and returns their CRC-32. `tell` gets the
/// size of each copied piece. Throws as PayloadReader does, and IoError.
uint32_t copy_payload(const Payload& payload, const OutputFile& file, uint64_t begin,
                      const std::function<void(uint64_t num_bytes)>& tell);

/// A remote FILE, and its destination.
struct RemoteCopy {
  const Payload* payload = nullptr;
  uint64_t begin = 0;
};

/// Reads FILEs in pieces, in parallel whatever file they are in, with at most `limit` requests, and returns the CRC-32
/// of each. `write` gets pieces as they arrive, in no order, from several threads: bytes of `copies[i]` for `offset`,
/// which counts as `begin` does. For memory see remote_payloads.hpp. Throws IoError, and what `write` throws.
std::vector<uint32_t> copy_remote(
    std::span<const RemoteCopy> copies, int limit,
    const std::function<void(std::size_t i, uint64_t offset, std::span<const std::byte> bytes)>& write);

}  // namespace tacore
