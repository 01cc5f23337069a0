#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

/// Signatures, and keys from passwords, as libcrypto computes them.
namespace tacore {

using Ed25519Seed = std::array<std::byte, 32>;  ///< the secret key of RFC 8032
using Ed25519PublicKey = std::array<std::byte, 32>;
using Ed25519Signature = std::array<std::byte, 64>;

/// The public key of a secret key, and the signature of a message by it (RFC 8032, Ed25519). Throws IoError where
/// libcrypto has Ed25519 disabled.
Ed25519PublicKey ed25519_public_key(const Ed25519Seed& seed);
Ed25519Signature ed25519_sign(const Ed25519Seed& seed, std::span<const std::byte> message);
/// True for the signature of `message` by the secret key of `key`.
bool ed25519_verify(const Ed25519PublicKey& key, std::span<const std::byte> message, const Ed25519Signature& signature);

/// Derives a key from a password (RFC 7914). `cost` is N of the RFC, a power of two. 128 * cost * block_size bytes of
/// memory are used. Throws IoError when the memory is missing, or libcrypto has scrypt disabled.
void scrypt(std::string_view password, std::span<const std::byte> salt, uint64_t cost, uint64_t block_size,
            uint64_t parallel, std::span<std::byte> out);

/// Fills `out` with bytes that nobody can predict. Throws IoError.
void random_bytes(std::span<std::byte> out);

/// Overwrites a secret, also where the compiler sees that nothing reads it again.
void wipe(std::span<std::byte> secret) noexcept;

/// Wipes a secret at the end of its scope.
class WipedAtEnd {
 public:
  explicit WipedAtEnd(std::span<std::byte> secret) noexcept : secret_(secret) {}
  ~WipedAtEnd() { wipe(secret_); }
  WipedAtEnd(const WipedAtEnd&) = delete;
  WipedAtEnd& operator=(const WipedAtEnd&) = delete;

 private:
  std::span<std::byte> secret_;
};

}  // namespace tacore
