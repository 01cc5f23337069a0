#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace tacore {

/// BLAKE2b without a key (RFC 7693), of 1 to 64 bytes. libcrypto 3.0 computes digests of 64 bytes only; a shorter one
/// is not the beginning of a longer one.
std::vector<std::byte> blake2b(std::span<const std::byte> bytes, std::size_t digest_size);

}  // namespace tacore
