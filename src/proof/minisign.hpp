#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/ed25519.hpp"

/// Keys and signatures in the forms of the program minisign, which makes and verifies the same ones.
namespace tacore::minisign {

/// Which key made a signature. It is random, and no secret.
using KeyId = std::array<std::byte, 8>;
/// As minisign prints it: 16 upper-case hexadecimal digits, the last byte first.
std::string to_text(const KeyId& id);

struct PublicKey {
  KeyId id = {};
  Ed25519PublicKey key = {};
};

/// The key on its line of a file, 56 characters, and the file.
std::string encode_line(const PublicKey& key);
std::string encode(const PublicKey& key);
/// Reads either. `name` is that of the file, for messages. Throws FormatError.
PublicKey parse_public_key(std::string_view text, const std::string& name);

/// A secret key, which is wiped when it is destroyed.
struct SecretKey {
  KeyId id = {};
  Ed25519Seed seed = {};

  SecretKey() = default;
  ~SecretKey() { wipe(seed); }
  SecretKey(const SecretKey&) = delete;
  SecretKey& operator=(const SecretKey&) = delete;

  PublicKey public_key() const { return {id, ed25519_public_key(seed)}; }
};

/// Makes a new key of random bytes.
void make_random(SecretKey& key);

/// How hard passwords of a key file are to guess: the limits of computation and of memory, in bytes, that the file
/// states, from which the parameters of scrypt follow.
struct PasswordLimits {
  uint64_t operations = 1 << 25;
  uint64_t memory = 1 << 30;
};

/// The file of a secret key, encrypted with a password, or as it is without one. The password may have any bytes.
std::string encode(const SecretKey& key, const std::optional<std::string>& password, const PasswordLimits& limits = {});
/// Whether the file of a secret key is encrypted. Throws FormatError.
bool is_encrypted(std::string_view text, const std::string& name);
/// Reads the file of a secret key. Throws FormatError; ValidationError when a password is missing or wrong.
void parse_secret_key(std::string_view text, const std::optional<std::string>& password, const std::string& name,
                      SecretKey& key);

/// What parse_signature() reads of a file `.minisig`.
struct Signature {
  KeyId id = {};
  bool is_prehashed = true;          ///< of the BLAKE2b of the file, as minisign signs unless it is told otherwise
  Ed25519Signature signature = {};   ///< of the file
  std::string trusted_comment = {};  ///< a line of text that is signed as well
  Ed25519Signature of_comment = {};  ///< of `signature` and the comment
};

/// The file `.minisig` that signs `message`.
std::string sign(const SecretKey& key, std::span<const std::byte> message, const std::string& trusted_comment);
/// Throws FormatError.
Signature parse_signature(std::string_view text, const std::string& name);
/// Why `signature` is not one of `message` and its trusted comment by this key; "" when it is.
std::string why_wrong(const Signature& signature, const PublicKey& key, std::span<const std::byte> message);

}  // namespace tacore::minisign
