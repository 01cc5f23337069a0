#include "base/epoch.hpp"

#include <doctest/doctest.h>

using namespace tacore;

namespace {

constexpr int64_t kNoon = 1'673'784'000;  // 2023-01-15T12:00:00Z

int64_t whole(int64_t number) { return epoch_of(number).value().microseconds; }
int64_t real(double number) { return epoch_of(number).value().microseconds; }

}  // namespace

TEST_CASE("the magnitude of an epoch number determines its unit") {
  CHECK(whole(kNoon) == kNoon * 1'000'000);
  CHECK(whole(kNoon * 1'000 + 1) == kNoon * 1'000'000 + 1'000);
  CHECK(whole(kNoon * 1'000'000 + 1) == kNoon * 1'000'000 + 1);
  CHECK(whole(kNoon * 1'000'000'000 + 1'999) == kNoon * 1'000'000 + 1);
  CHECK(whole(0) == 0);
  CHECK(whole(-1) == -1'000'000);
  CHECK(whole(-200'000'000'000'000'001) == -200'000'000'000'001);
  CHECK(epoch_of(int64_t{99'999'999'999})->unit == EpochUnit::Seconds);
  CHECK(epoch_of(int64_t{-100'000'000'000})->unit == EpochUnit::Milliseconds);
  CHECK(epoch_of(int64_t{100'000'000'000'000})->unit == EpochUnit::Microseconds);
  CHECK(epoch_of(int64_t{100'000'000'000'000'000})->unit == EpochUnit::Nanoseconds);
}

TEST_CASE("fractional epoch numbers are times to the microsecond") {
  CHECK(real(1'673'784'000.5) == kNoon * 1'000'000 + 500'000);
  CHECK(real(1'673'784'000.123456) == kNoon * 1'000'000 + 123'456);
  CHECK(real(-0.5) == -500'000);
  CHECK(real(1'673'784'000'250.0) == kNoon * 1'000'000 + 250'000);
  CHECK(real(static_cast<double>(kNoon) * 1e9) == kNoon * 1'000'000);
}

TEST_CASE("sentinels for missing values (integer limits, NaN, infinity) are not times") {
  CHECK_FALSE(epoch_of(std::numeric_limits<int64_t>::min()));
  CHECK_FALSE(epoch_of(std::numeric_limits<int64_t>::max()));
  CHECK_FALSE(epoch_of(std::numeric_limits<double>::quiet_NaN()));
  CHECK_FALSE(epoch_of(std::numeric_limits<double>::infinity()));
  CHECK_FALSE(epoch_of(-std::numeric_limits<double>::infinity()));
  CHECK_FALSE(epoch_of(-9223372036854775808.0));
  CHECK_FALSE(epoch_of(1e300));
}

TEST_CASE("SOURCE_DATE_EPOCH is read as a number of seconds, and ignored when it is not one") {
  const std::pair<const char*, std::optional<int64_t>> cases[] = {
      {"0", 0},           {"1369353600", 1369353600}, {"-5", -5},
      {"", std::nullopt}, {"12x", std::nullopt},      {" 12", std::nullopt}};
  for (const auto& [text, expected] : cases) {
    CAPTURE(text);
    ::setenv("SOURCE_DATE_EPOCH", text, 1);
    CHECK(source_date_epoch() == expected);
  }
  ::unsetenv("SOURCE_DATE_EPOCH");
  CHECK_FALSE(source_date_epoch());
}
