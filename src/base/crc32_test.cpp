#include "base/crc32.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

namespace {

uint32_t crc_of(std::string_view text, uint32_t crc = 0) { return tacore::crc32(std::as_bytes(std::span(text)), crc); }

TEST_CASE("CRC-32 of the standard test string is the published check value") {
  CHECK(crc_of("123456789") == 0xCBF43926);
  CHECK(crc_of("") == 0);
  CHECK(crc_of("a") == 0xE8B7BE43);
}

TEST_CASE("a CRC continued over parts is the CRC of the whole") {
  const std::string_view whole = "123456789";
  for (std::size_t cut = 0; cut <= whole.size(); ++cut) {
    CAPTURE(cut);
    CHECK(crc_of(whole.substr(cut), crc_of(whole.substr(0, cut))) == crc_of(whole));
  }
}

TEST_CASE("an empty span with a null pointer leaves a CRC-32 unchanged") {
  CHECK(tacore::crc32({}, 0xCBF43926) == 0xCBF43926);
}

TEST_CASE("the CRC-32 of a number of zero bytes is computed without the bytes") {
  const std::string zeros(70'001, '\0');
  for (const std::size_t count : {0U, 1U, 2U, 3U, 255U, 256U, 65'536U, 70'001U}) {
    CAPTURE(count);
    for (const uint32_t crc : {0u, 0xCBF43926u, 0xFFFFFFFFu}) {
      CHECK(tacore::crc32_zeros(count, crc) == crc_of(zeros.substr(0, count), crc));
    }
  }
}

TEST_CASE("one changed bit changes the CRC") { CHECK(crc_of("123456788") != crc_of("123456789")); }

}  // namespace
