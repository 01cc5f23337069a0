#include "base/checked_math.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>

namespace {

using namespace tacore;

constexpr uint64_t kMax = std::numeric_limits<uint64_t>::max();

TEST_CASE("sums and products that fit are exact") {
  CHECK(checked_add<uint64_t>(kMax - 1, 1, "x") == kMax);
  CHECK(checked_add<int64_t>(-5, 5, "x") == 0);
  CHECK(checked_multiply<uint64_t>(kMax / 3, 3, "x") == kMax);
  CHECK(checked_multiply<uint64_t>(0, kMax, "x") == 0);
}

TEST_CASE("sums and products that do not fit are refused by name") {
  CHECK_THROWS_WITH_AS(checked_add<uint64_t>(kMax, 1, "entry"), "entry overflows", FormatError);
  CHECK_THROWS_WITH_AS(checked_add<int32_t>(INT32_MIN, -1, "row"), "row overflows", FormatError);
  CHECK_THROWS_WITH_AS(checked_multiply<uint64_t>(kMax / 2, 3, "size"), "size overflows", FormatError);
}

TEST_CASE("narrow keeps values that fit") {
  CHECK(narrow<uint32_t>(uint64_t{4294967295}, "x") == 4294967295U);
  CHECK(narrow<int64_t>(uint64_t{9223372036854775807}, "x") == INT64_MAX);
  CHECK(narrow<uint64_t>(int64_t{0}, "x") == 0);
}

TEST_CASE("narrow refuses a value that does not fit and shows it") {
  CHECK_THROWS_WITH_AS(narrow<uint32_t>(uint64_t{4294967296}, "size"), "size is out of range: 4294967296", FormatError);
  CHECK_THROWS_WITH_AS(narrow<uint64_t>(int64_t{-1}, "offset"), "offset is out of range: -1", FormatError);
  CHECK_THROWS_AS(narrow<int64_t>(kMax, "rows"), FormatError);
}

}  // namespace
