#include "base/ed25519.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/sha256.hpp"
#include "base/text.hpp"
#include "tacore/error.hpp"

namespace tacore {
namespace {

/// Bytes of 32-byte pieces in hexadecimal digits.
template <std::size_t N>
std::array<std::byte, N> unhex(std::string_view digits) {
  std::array<std::byte, N> out = {};
  for (std::size_t i = 0; i < N; i += 32)
    std::ranges::copy(*parse_sha256(digits.substr(2 * i, 64)), out.begin() + static_cast<std::ptrdiff_t>(i));
  return out;
}

TEST_CASE("Ed25519 gives the values of RFC 8032, and verifies nothing else") {
  struct Case {
    const char *seed, *key, *signature;
    std::string message;
  };
  const Case cases[] = {{"9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
                         "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
                         "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"
                         "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
                         ""},
                        {"4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
                         "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
                         "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
                         "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00",
                         "\x72"}};
  for (const Case& c : cases) {
    const auto seed = unhex<32>(c.seed);
    const auto key = ed25519_public_key(seed);
    CHECK(key == unhex<32>(c.key));
    auto signature = ed25519_sign(seed, bytes_of(c.message));
    CHECK(signature == unhex<64>(c.signature));
    CHECK(ed25519_verify(key, bytes_of(c.message), signature));
    CHECK_FALSE(ed25519_verify(key, bytes_of(c.message + "x"), signature));
    CHECK_FALSE(ed25519_verify(unhex<32>(c.signature), bytes_of(c.message), signature));
    for (std::byte& byte : signature) {
      byte ^= std::byte{1};
      REQUIRE_FALSE(ed25519_verify(key, bytes_of(c.message), signature));
      byte ^= std::byte{1};
    }
  }
}

TEST_CASE("scrypt gives the values of RFC 7914") {
  std::array<std::byte, 64> out = {};
  scrypt("", {}, 16, 1, 1, out);
  CHECK(out == unhex<64>("77d6576238657b203b19ca42c18a0497f16b4844e3074ae8dfdffa3fede21442"
                         "fcd0069ded0948f8326a753a0fc81f17e8d3e0fb2e0d3628cf35e20c38d18906"));
  scrypt("password", bytes_of("NaCl"), 1024, 8, 16, out);
  CHECK(out == unhex<64>("fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162"
                         "2eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640"));
  CHECK_THROWS_AS(scrypt("password", {}, 1000, 8, 1, out), IoError);  // not a power of two
}

TEST_CASE("a secret is wiped at the end of its scope") {
  std::vector<std::byte> secret(40);
  random_bytes(secret);
  CHECK(std::ranges::count(secret, std::byte()) < 20);
  { const WipedAtEnd wiped(secret); }
  CHECK(std::ranges::count(secret, std::byte()) == 40);
}

}  // namespace
}  // namespace tacore
