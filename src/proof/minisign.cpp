#include "proof/minisign.hpp"

#include <algorithm>
#include <vector>

#include "base/blake2b.hpp"
#include "base/little_endian.hpp"
#include "base/text.hpp"
#include "tacore/error.hpp"

namespace tacore::minisign {
namespace {

constexpr std::string_view kUntrusted = "untrusted comment: ", kTrusted = "trusted comment: ";
constexpr std::string_view kEd25519 = "Ed", kPrehashed = "ED", kScrypt = "Sc", kBlake2b = "B2";
constexpr std::string_view kNoPassword{"\0\0", 2};
constexpr std::size_t kChecksumSize = 32, kDigestSize = 64;
/// Beyond what minisign writes, a file asks for more memory or time than any user wants to spend.
constexpr uint64_t kMostMemory = uint64_t{1} << 30, kMostOperations = uint64_t{1} << 28;

/// The lines of a file, without their ends.
std::vector<std::string> lines_of(std::string_view text) {
  auto out = split(text, '\n');
  for (auto& line : out) {
    if (line.ends_with('\r')) line.pop_back();
  }
  while (!out.empty() && out.back().empty()) out.pop_back();
  return out;
}

[[noreturn]] void fail(const std::string& name, const std::string& what) { throw FormatError(what, {.path = name}); }

std::vector<std::byte> decode_line(const std::string& line, std::size_t size, const std::string& what,
                                   const std::string& name) {
  auto out = parse_base64(line);
  if (!out || out->size() != size)
    fail(name, "is not " + what + " of minisign: a line of " + std::to_string(size) + " bytes in base64 expected");
  return std::move(*out);
}

template <class Array>
void take(Cursor& from, Array& out) {
  std::ranges::copy(from.take(out.size()), out.begin());
}

/// What the password protects: id, seed, public key, and the checksum that tells a wrong password.
struct ProtectedPart {
  static constexpr std::size_t kSize = 8 + 64 + kChecksumSize;

  static std::vector<std::byte> checksum(const SecretKey& key) {
    FieldWriter out;
    out.text(kEd25519);
    out.bytes(key.id);
    out.bytes(key.seed);
    out.bytes(ed25519_public_key(key.seed));
    auto bytes = out.take();
    const WipedAtEnd wiped(bytes);
    return blake2b(bytes, kChecksumSize);
  }
};

/// scrypt with the parameters that follow from the limits, by the rule that libsodium has for them; `bytes` are
/// encrypted or decrypted in place.
void apply_password(const std::string& password, std::span<const std::byte> salt, const PasswordLimits& limits,
                    std::span<std::byte> bytes) {
  constexpr uint64_t kBlockSize = 8;
  const uint64_t operations = std::max<uint64_t>(limits.operations, 1 << 15);
  const bool is_short_of_operations = operations < limits.memory / 32;
  const uint64_t most_cost =
      is_short_of_operations ? operations / (kBlockSize * 4) : limits.memory / (kBlockSize * 128);
  uint64_t cost = 2;
  while (cost <= most_cost / 2) cost *= 2;
  const uint64_t parallel =
      is_short_of_operations
          ? 1
          : std::max<uint64_t>(1, std::min<uint64_t>(operations / 4 / cost, 0x3FFFFFFF) / kBlockSize);
  std::array<std::byte, ProtectedPart::kSize> stream;
  const WipedAtEnd wiped(stream);
  scrypt(password, salt, cost, kBlockSize, parallel, stream);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] ^= stream[i];
}

/// The file of a secret key, still encrypted.
struct StoredKey {
  bool is_encrypted = false;
  std::array<std::byte, 32> salt = {};
  PasswordLimits limits = {};
  std::array<std::byte, ProtectedPart::kSize> part = {};

  StoredKey() = default;
  ~StoredKey() { wipe(part); }
  StoredKey(const StoredKey&) = delete;
  StoredKey& operator=(const StoredKey&) = delete;
};

void parse(std::string_view text, const std::string& name, StoredKey& out) {
  const auto lines = lines_of(text);
  constexpr const char* kWhat = "a secret key";
  if (lines.size() != 2 || !lines[0].starts_with(kUntrusted))
    fail(name, "is not a secret key of minisign: a line 'untrusted comment: ' and a line in base64 expected");
  auto bytes = decode_line(lines[1], 54 + ProtectedPart::kSize, kWhat, name);
  const WipedAtEnd wiped(bytes);
  Cursor in(bytes, kWhat);
  const auto algorithm = in.text(2), derivation = in.text(2), checksum = in.text(2);
  if (algorithm != kEd25519 || checksum != kBlake2b || (derivation != kScrypt && derivation != kNoPassword))
    fail(name, "is a key of an unknown kind: Ed25519, scrypt or no password, and BLAKE2b expected");
  out.is_encrypted = derivation == kScrypt;
  take(in, out.salt);
  out.limits.operations = in.u64();
  out.limits.memory = in.u64();
  take(in, out.part);
}

}  // namespace

std::string to_text(const KeyId& id) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string out;
  for (auto byte = id.rbegin(); byte != id.rend(); ++byte) {
    out += kHex[std::to_integer<std::size_t>(*byte) >> 4];
    out += kHex[std::to_integer<std::size_t>(*byte) & 15];
  }
  return out;
}

std::string encode_line(const PublicKey& key) {
  FieldWriter out;
  out.text(kEd25519);
  out.bytes(key.id);
  out.bytes(key.key);
  return base64(out.take());
}

std::string encode(const PublicKey& key) {
  return std::string(kUntrusted) + "minisign public key " + to_text(key.id) + "\n" + encode_line(key) + "\n";
}

PublicKey parse_public_key(std::string_view text, const std::string& name) {
  const auto lines = lines_of(text);
  const bool is_file = lines.size() == 2 && lines[0].starts_with(kUntrusted);
  if (!is_file && lines.size() != 1)
    fail(name, "is not a public key of minisign: a line 'untrusted comment: ' and a line in base64 expected");
  const auto bytes = decode_line(lines.back(), 42, "a public key", name);
  Cursor in(bytes, "a public key");
  if (in.text(2) != kEd25519) fail(name, "is a public key of an unknown kind: Ed25519 expected");
  PublicKey out;
  take(in, out.id);
  take(in, out.key);
  return out;
}

void make_random(SecretKey& key) {
  random_bytes(key.id);
  random_bytes(key.seed);
}

std::string encode(const SecretKey& key, const std::optional<std::string>& password, const PasswordLimits& limits) {
  FieldWriter inner;
  inner.bytes(key.id);
  inner.bytes(key.seed);
  inner.bytes(ed25519_public_key(key.seed));
  inner.bytes(ProtectedPart::checksum(key));
  auto part = inner.take();
  const WipedAtEnd wiped_part(part);
  std::array<std::byte, 32> salt = {};
  if (password) {
    random_bytes(salt);
    apply_password(*password, salt, limits, part);
  }
  FieldWriter out;
  out.text(kEd25519);
  out.text(password ? kScrypt : kNoPassword);
  out.text(kBlake2b);
  out.bytes(salt);
  out.u64(password ? limits.operations : 0);
  out.u64(password ? limits.memory : 0);
  out.bytes(part);
  auto bytes = out.take();
  const WipedAtEnd wiped(bytes);
  return std::string(kUntrusted) + (password ? "minisign encrypted secret key\n" : "minisign secret key\n") +
         base64(bytes) + "\n";
}

bool is_encrypted(std::string_view text, const std::string& name) {
  StoredKey stored;
  parse(text, name, stored);
  return stored.is_encrypted;
}

void parse_secret_key(std::string_view text, const std::optional<std::string>& password, const std::string& name,
                      SecretKey& key) {
  StoredKey stored;
  parse(text, name, stored);
  if (stored.is_encrypted) {
    if (!password) throw ValidationError("is encrypted, and no password was given", {.path = name});
    const PasswordLimits& limits = stored.limits;
    if (limits.memory > kMostMemory || limits.operations > kMostOperations) {
      fail(name, "asks for " + std::to_string(limits.memory) + " bytes of memory and " +
                     std::to_string(limits.operations) + " operations for its password, at most " +
                     std::to_string(kMostMemory) + " and " + std::to_string(kMostOperations) + " expected");
    }
    apply_password(*password, stored.salt, limits, stored.part);
  }
  Cursor in(stored.part, "a secret key");
  take(in, key.id);
  take(in, key.seed);
  const auto public_key = in.take(32), checksum = in.take(kChecksumSize);
  const auto expected = ProtectedPart::checksum(key);
  // minisign leaves out the checksum of a key without a password.
  const bool has_checksum =
      stored.is_encrypted || std::ranges::any_of(checksum, [](std::byte b) { return b != std::byte(); });
  // The public half is not used, but a file whose halves differ is no key.
  if ((!has_checksum || std::ranges::equal(checksum, expected)) &&
      std::ranges::equal(public_key, ed25519_public_key(key.seed))) {
    return;
  }
  if (stored.is_encrypted) throw ValidationError("the password is wrong, or the file damaged", {.path = name});
  fail(name, "is damaged: its checksum is not that of the key");
}

std::string sign(const SecretKey& key, std::span<const std::byte> message, const std::string& trusted_comment) {
  const auto signature = ed25519_sign(key.seed, blake2b(message, kDigestSize));
  FieldWriter first;
  first.text(kPrehashed);
  first.bytes(key.id);
  first.bytes(signature);
  FieldWriter second;
  second.bytes(signature);
  second.text(trusted_comment);
  const auto of_comment = ed25519_sign(key.seed, second.take());
  return std::string(kUntrusted) + "signature from minisign secret key " + to_text(key.id) + "\n" +
         base64(first.take()) + "\n" + std::string(kTrusted) + trusted_comment + "\n" + base64(of_comment) + "\n";
}

Signature parse_signature(std::string_view text, const std::string& name) {
  const auto lines = lines_of(text);
  if (lines.size() != 4 || !lines[0].starts_with(kUntrusted) || !lines[2].starts_with(kTrusted)) {
    fail(name,
         "is not a signature of minisign: lines 'untrusted comment: ', base64, 'trusted comment: ', base64 "
         "expected");
  }
  const auto bytes = decode_line(lines[1], 74, "a signature", name);
  Cursor in(bytes, "a signature");
  const auto kind = in.text(2);
  if (kind != kPrehashed && kind != kEd25519) fail(name, "is a signature of an unknown kind: Ed25519 expected");
  Signature out{.is_prehashed = kind == kPrehashed};
  take(in, out.id);
  take(in, out.signature);
  out.trusted_comment = lines[2].substr(kTrusted.size());
  std::ranges::copy(decode_line(lines[3], 64, "a signature", name), out.of_comment.begin());
  return out;
}

std::string why_wrong(const Signature& signature, const PublicKey& key, std::span<const std::byte> message) {
  if (signature.id != key.id)
    return "it is by the key " + to_text(signature.id) + ", by " + to_text(key.id) + " expected";
  const bool is_right = signature.is_prehashed
                            ? ed25519_verify(key.key, blake2b(message, kDigestSize), signature.signature)
                            : ed25519_verify(key.key, message, signature.signature);
  if (!is_right) return "it does not sign these bytes by the key " + to_text(key.id);
  FieldWriter with_comment;
  with_comment.bytes(signature.signature);
  with_comment.text(signature.trusted_comment);
  if (!ed25519_verify(key.key, with_comment.take(), signature.of_comment))
    return "its trusted comment is not the one that was signed";
  return {};
}

}  // namespace tacore::minisign
