#include "base/blake2b.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>

#include "base/sha256.hpp"
#include "base/text.hpp"

namespace tacore {
namespace {

std::string blake2b_hex(const std::string& text, std::size_t size) {
  std::string out;
  for (const std::byte byte : blake2b(bytes_of(text), size)) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    out += kDigits[std::to_integer<std::size_t>(byte) >> 4];
    out += kDigits[std::to_integer<std::size_t>(byte) & 15];
  }
  return out;
}

TEST_CASE("BLAKE2b gives the value of RFC 7693, and shorter digests those of other programs") {
  CHECK(blake2b_hex("abc", 64) ==
        "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1"
        "7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923");
  CHECK(blake2b_hex("abc", 32) == "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319");
  CHECK(blake2b_hex("", 32) == "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8");
}

TEST_CASE("BLAKE2b of any number of blocks is that of libcrypto") {
  std::string text;
  for (int size = 0; size < 520; ++size, text += static_cast<char>(size * 7)) {
    auto rest = bytes_of(text);
    const std::string expected = hex_digest("BLAKE2b512", [&] { return std::exchange(rest, {}); });
    CAPTURE(size);
    REQUIRE(expected.size() == 128);
    REQUIRE(blake2b_hex(text, 64) == expected);
  }
}

}  // namespace
}  // namespace tacore
