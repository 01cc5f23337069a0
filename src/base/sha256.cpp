#include "base/sha256.hpp"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <memory>
#include <new>
#include <utility>

namespace tacore {
namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";

struct Free {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};

std::string hex_digits(std::span<const std::byte> hash) {
  std::string out;
  for (const std::byte byte : hash) {
    out += kHexDigits[std::to_integer<std::size_t>(byte) >> 4];
    out += kHexDigits[std::to_integer<std::size_t>(byte) & 15];
  }
  return out;
}

}  // namespace

Sha256 sha256(std::span<const std::byte> bytes) {
  return sha256([&bytes] { return std::exchange(bytes, {}); });
}

Sha256 sha256(const std::function<std::span<const std::byte>()>& next) {
  // Finding the algorithm and making a context cost more than the hash of a short text.
  static const EVP_MD* const algorithm = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  thread_local const std::unique_ptr<EVP_MD_CTX, Free> context(EVP_MD_CTX_new());
  Sha256 out = {};
  bool is_done = EVP_DigestInit_ex(context.get(), algorithm, nullptr) == 1;
  for (auto bytes = next(); !bytes.empty(); bytes = next()) {
    is_done = is_done && EVP_DigestUpdate(context.get(), bytes.data(), bytes.size()) == 1;
  }
  is_done = is_done && EVP_DigestFinal_ex(context.get(), reinterpret_cast<unsigned char*>(out.data()), nullptr) == 1;
  if (!is_done) throw std::bad_alloc();  // a lack of memory is the only possible failure
  return out;
}

Sha256 hmac_sha256(std::span<const std::byte> key, std::span<const std::byte> message) {
  Sha256 out = {};
  const auto* made = HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
                          reinterpret_cast<const unsigned char*>(message.data()), message.size(),
                          reinterpret_cast<unsigned char*>(out.data()), nullptr);
  if (made == nullptr) throw std::bad_alloc();  // a lack of memory is the only possible failure
  return out;
}

std::string hex_digest(const char* algorithm, const std::function<std::span<const std::byte>()>& next) {
  const std::unique_ptr<EVP_MD_CTX, Free> context(EVP_MD_CTX_new());
  const EVP_MD* found = EVP_get_digestbyname(algorithm);
  if (!context || found == nullptr || EVP_DigestInit_ex(context.get(), found, nullptr) != 1) return {};
  for (auto bytes = next(); !bytes.empty(); bytes = next()) {
    if (EVP_DigestUpdate(context.get(), bytes.data(), bytes.size()) != 1) return {};
  }
  std::array<std::byte, EVP_MAX_MD_SIZE> out = {};
  unsigned size = 0;
  if (EVP_DigestFinal_ex(context.get(), reinterpret_cast<unsigned char*>(out.data()), &size) != 1) return {};
  return hex_digits(std::span(out).first(size));
}

std::string hex(const Sha256& hash) { return hex_digits(hash); }

std::optional<Sha256> parse_sha256(std::string_view text) noexcept {
  Sha256 out = {};
  if (text.size() != 2 * out.size()) return std::nullopt;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto digit = kHexDigits.find(text[i]);
    if (digit == kHexDigits.npos) return std::nullopt;
    out[i / 2] = out[i / 2] << 4 | static_cast<std::byte>(digit);
  }
  return out;
}

}  // namespace tacore
