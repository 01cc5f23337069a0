#include "base/sha256.hpp"

#include <doctest/doctest.h>

#include <utility>

namespace tacore {
namespace {

std::string hash_of(const std::string& text) { return hex(sha256(std::as_bytes(std::span(text)))); }

TEST_CASE("SHA-256 gives the values of FIPS 180-4") {
  CHECK(hash_of("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(hash_of("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(hash_of(std::string(1'000'000, 'a')) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  CHECK(hex(sha256(std::span<const std::byte>())) == hash_of(""));
}

TEST_CASE("HMAC with SHA-256 gives the values of RFC 4231") {
  const auto hmac = [](std::string_view key, std::string_view message) {
    return hex(hmac_sha256(std::as_bytes(std::span(key)), std::as_bytes(std::span(message))));
  };
  CHECK(hmac("Jefe", "what do ya want for nothing?") ==
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  CHECK(hmac(std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First") ==
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST_CASE("digests of other algorithms are those of RFC 1321 and FIPS 180-4") {
  const auto digest = [](const char* algorithm, std::string_view text) {
    auto rest = std::as_bytes(std::span(text));
    return hex_digest(algorithm, [&] { return std::exchange(rest, {}); });
  };
  CHECK(digest("MD5", "abc") == "900150983cd24fb0d6963f7d28e17f72");
  CHECK(digest("MD5", "") == "d41d8cd98f00b204e9800998ecf8427e");
  CHECK(digest("SHA1", "abc") == "a9993e364706816aba3e25717850c26c9cd0d89d");
  CHECK(digest("none", "abc") == "");
}

TEST_CASE("a SHA-256 hash is parsed from its hexadecimal digits, and from nothing else") {
  const std::string digits = hash_of("abc");
  const auto back = parse_sha256(digits);
  REQUIRE(back);
  CHECK(hex(*back) == digits);
  CHECK_FALSE(parse_sha256(""));
  CHECK_FALSE(parse_sha256(digits.substr(1)));
  CHECK_FALSE(parse_sha256(digits + "0"));
  CHECK_FALSE(parse_sha256("BA" + digits.substr(2)));
  CHECK_FALSE(parse_sha256("../" + digits.substr(3)));
}

}  // namespace
}  // namespace tacore
