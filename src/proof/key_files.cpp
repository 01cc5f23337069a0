#include "proof/key_files.hpp"

#include <memory>
#include <span>

#include "base/text.hpp"
#include "io/output_file.hpp"
#include "tacore/error.hpp"
#include "tacore/ops/sign.hpp"

namespace tacore {
namespace {

/// Comments of keys and signatures are short, and so is a statement.
constexpr uint64_t kMostKeyBytes = 64 << 10;

std::string public_path(const std::string& path, const KeyOptions& options) {
  return options.public_key.empty() ? path + ".pub" : options.public_key;
}

}  // namespace

std::string read_small_file(const Storage& storage, const std::string& path) {
  const auto source = storage.open(path, {.prefix = 4096});
  if (source->size() > kMostKeyBytes) {
    throw FormatError(
        "has " + std::to_string(source->size()) + " bytes, at most " + std::to_string(kMostKeyBytes) + " expected",
        {.path = path});
  }
  const Bytes bytes = source->read_all();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void read_secret_key(const std::string& path, const std::optional<std::string>& password, minisign::SecretKey& key) {
  std::string text = read_small_file(*local_storage(), path);
  const WipedAtEnd wiped(std::as_writable_bytes(std::span(text)));
  minisign::parse_secret_key(text, password, path, key);
}

minisign::PublicKey read_public_key(const std::string& given) {
  constexpr std::size_t kLine = 56;
  if (given.size() == kLine && parse_base64(given)) return minisign::parse_public_key(given, "the public key");
  return minisign::parse_public_key(read_small_file(*local_storage(), given), given);
}

bool is_encrypted_key(const std::string& path) {
  std::string text = read_small_file(*local_storage(), path);
  const WipedAtEnd wiped(std::as_writable_bytes(std::span(text)));
  return minisign::is_encrypted(text, path);
}

std::string create_key(const std::string& path, const KeyOptions& options) {
  minisign::SecretKey key;
  minisign::make_random(key);
  // Both are there, but for their names, before either has its name.
  OutputFile secret_file(path, options.overwrite, "", true), public_file(public_path(path, options), options.overwrite);
  std::string secret = minisign::encode(key, options.password);
  const WipedAtEnd wiped(std::as_writable_bytes(std::span(secret)));
  secret_file.write(0, bytes_of(secret));
  public_file.write(0, bytes_of(minisign::encode(key.public_key())));
  secret_file.sync();
  public_file.sync();
  secret_file.commit();
  public_file.commit();
  return minisign::encode_line(key.public_key());
}

}  // namespace tacore
