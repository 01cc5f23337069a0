#include "base/ed25519.hpp"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

#include <memory>
#include <string>

#include "tacore/error.hpp"

namespace tacore {
namespace {

struct FreeKey {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};
using Key = std::unique_ptr<EVP_PKEY, FreeKey>;
using SigningContext = std::unique_ptr<EVP_MD_CTX, FreeKey>;

unsigned char* writable(std::span<std::byte> bytes) { return reinterpret_cast<unsigned char*>(bytes.data()); }
const unsigned char* raw(std::span<const std::byte> bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

void require_done(bool is_done, const char* what) {
  if (!is_done) throw IoError(std::string(what) + " failed in libcrypto, which may have it disabled", {}, 0);
}

Key secret_key(const Ed25519Seed& seed) {
  Key out(EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr, raw(seed), seed.size()));
  require_done(out != nullptr, "a key of Ed25519");
  return out;
}

}  // namespace

Ed25519PublicKey ed25519_public_key(const Ed25519Seed& seed) {
  const Key key = secret_key(seed);
  Ed25519PublicKey out = {};
  std::size_t size = out.size();
  require_done(EVP_PKEY_get_raw_public_key(key.get(), writable(out), &size) == 1 && size == out.size(),
               "a public key of Ed25519");
  return out;
}

Ed25519Signature ed25519_sign(const Ed25519Seed& seed, std::span<const std::byte> message) {
  const Key key = secret_key(seed);
  const SigningContext context(EVP_MD_CTX_new());
  Ed25519Signature out = {};
  std::size_t size = out.size();
  require_done(context && EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, key.get()) == 1 &&
                   EVP_DigestSign(context.get(), writable(out), &size, raw(message), message.size()) == 1 &&
                   size == out.size(),
               "signing by Ed25519");
  return out;
}

bool ed25519_verify(const Ed25519PublicKey& key, std::span<const std::byte> message,
                    const Ed25519Signature& signature) {
  const Key known(EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, raw(key), key.size()));
  const SigningContext context(EVP_MD_CTX_new());
  require_done(known && context && EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, known.get()) == 1,
               "verifying by Ed25519");
  return EVP_DigestVerify(context.get(), raw(signature), signature.size(), raw(message), message.size()) == 1;
}

void scrypt(std::string_view password, std::span<const std::byte> salt, uint64_t cost, uint64_t block_size,
            uint64_t parallel, std::span<std::byte> out) {
  // libcrypto counts what it needs beside the table of 128 * cost * block_size bytes, so its own limit is off.
  require_done(EVP_PBE_scrypt(password.data(), password.size(), raw(salt), salt.size(), cost, block_size, parallel,
                              uint64_t{1} << 40, writable(out), out.size()) == 1,
               "scrypt (the key of the password)");
}

void random_bytes(std::span<std::byte> out) {
  require_done(RAND_bytes(writable(out), static_cast<int>(out.size())) == 1, "making random bytes");
}

void wipe(std::span<std::byte> secret) noexcept { OPENSSL_cleanse(secret.data(), secret.size()); }

}  // namespace tacore
