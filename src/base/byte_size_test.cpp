#include "tacore/write/byte_size.hpp"

#include <doctest/doctest.h>

#include "tacore/error.hpp"

using namespace tacore;

TEST_CASE("sizes are parsed in powers of 1024, with decimals, blanks and any letter case") {
  struct Case {
    const char* text;
    uint64_t bytes;
  };
  for (const Case& c : {Case{"4GB", 4ull << 30},
                        {"512MB", 512ull << 20},
                        {"1.5 kb", 1536},
                        {"  2 g ", 2ull << 30},
                        {"1000", 1000},
                        {"7B", 7},
                        {"1TB", 1ull << 40},
                        {"3KiB", 3072},
                        {"1.5TiB", 3ull << 39},
                        {"2mib", 2 << 20},
                        {"0.0015KB", 1},
                        {"9007199254740993", 9007199254740993u}}) {
    CAPTURE(c.text);
    CHECK(parse_size(c.text) == c.bytes);
  }
}

TEST_CASE("text that is not a size, and a size of zero, are refused with the text quoted") {
  for (const char* text : {"", "GB", "4XB", "-1GB", "1,5GB", "1.GB", ".5GB", "1.2.3GB", "4 G B", "4iB", "1e3", "nan",
                           "0", "0MB", "0.1B", "9223372036854775808", "18446744073709551616", "99999999999TB"}) {
    CAPTURE(text);
    CHECK_THROWS_WITH_AS(parse_size(text), doctest::Contains(text), ValidationError);
  }
}
