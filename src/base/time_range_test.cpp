#include "tacore/time_range.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <random>
#include <string>

#include "support/support.hpp"
#include "tacore/error.hpp"

using namespace tacore;

TEST_CASE("RFC 3339 text is parsed to microseconds since 1970") {
  struct Case {
    std::string text;
    int64_t microseconds;
  };
  const Case cases[] = {
      {"1970-01-01", 0},
      {"1970-01-01T00:00:00Z", 0},
      {"2023-01-31", 1'675'123'200'000'000},
      {"2023-01-31T12:34:56Z", 1'675'168'496'000'000},
      {"2023-01-31t12:34:56z", 1'675'168'496'000'000},
      {"2023-01-31 12:34:56", 1'675'168'496'000'000},
      {"2023-01-31T12:34", 1'675'168'440'000'000},
      {"2023-01-31T14:34:56+02:00", 1'675'168'496'000'000},
      {"2023-01-31T14:34:56+0200", 1'675'168'496'000'000},
      {"2023-01-31 14:34:56+02", 1'675'168'496'000'000},
      {"2023-01-31T07:04:56-05:30", 1'675'168'496'000'000},
      {"2023-01-31T12:34:56.5Z", 1'675'168'496'500'000},
      {"2023-01-31T12:34:56.123456789Z", 1'675'168'496'123'456},
      {"1969-12-31T23:59:59.999999Z", -1},
      {"0001-01-01", -62'135'596'800'000'000},
      {"9999-12-31T23:59:59.999999Z", 253'402'300'799'999'999},
      {"2024-02-29", 1'709'164'800'000'000},
      {"2000-02-29", 951'782'400'000'000},
      {"2016-12-31T23:59:60Z", 1'483'228'800'000'000},
  };
  for (const auto& c : cases) {
    CAPTURE(c.text);
    CHECK(Timestamp::parse(c.text).microseconds == c.microseconds);
  }
}

TEST_CASE("malformed times are query errors that quote the text and say what was expected") {
  struct Case {
    std::string text;
    const char* expected;
  };
  const Case cases[] = {
      {"", "time '' ends too early: expected a year from 0001 to 9999"},
      {"2023", "time '2023' ends too early: expected YYYY-MM-DD"},
      {"2023-01", "YYYY-MM-DD"},
      {"2023-13-01", "a month from 01 to 12"},
      {"2023-00-01", "a month from 01 to 12"},
      {"2023-02-30", "a day from 01 to 28"},
      {"2023-02-29", "a day from 01 to 28"},
      {"1900-02-29", "a day from 01 to 28"},
      {"2024-02-30", "a day from 01 to 29"},
      {"2023-04-31", "a day from 01 to 30"},
      {"2023-01-00", "a day from 01 to 31"},
      {"0000-01-01", "a year from 0001 to 9999"},
      {"20230101", "YYYY-MM-DD"},
      {"2023-1-01", "a month"},
      {"2023/01/01", "YYYY-MM-DD"},
      {"+2023-01-01", "a year"},
      {" 2023-01-01", "a year"},
      {"2023-01-01x", "T and a time of day, found 'x'"},
      {"2023-01-01 ", "ends too early: expected an hour from 00 to 23"},
      {"2023-01-01T", "ends too early: expected an hour from 00 to 23"},
      {"2023-01-01T24:00:00Z", "an hour from 00 to 23"},
      {"2023-01-01T12", "HH:MM:SS"},
      {"2023-01-01T12:60:00Z", "a minute from 00 to 59"},
      {"2023-01-01T12:00:61Z", "a second from 00 to 60"},
      {"2023-01-01T12:00:-1Z", "a second from 00 to 60"},
      {"2023-01-01T12:00:00.Z", "digits of a second"},
      {"2023-01-01T12:00:00,5Z", "Z or an offset"},
      {"2023-01-01T12:00:00 Z", "Z or an offset"},
      {"2023-01-01T12:00:00Zulu", "expected the end, found 'ulu'"},
      {"2023-01-01T12:00:00+24:00", "hours of an offset"},
      {"2023-01-01T12:00:00+02:60", "minutes of an offset"},
      {"2023-01-01T12:00:00+2", "hours of an offset"},
      {"2023-01-01T12:00:00+02:", "minutes of an offset"},
      {"0001-01-01T00:00:00+01:00", "0001 to 9999 in UTC"},
      {"9999-12-31T23:59:60Z", "0001 to 9999 in UTC"},
      {"Invalid", "a year"},
  };
  for (const auto& c : cases) {
    const std::string text = c.text;
    CAPTURE(text);
    const auto error = text_of<QueryError>([&] { Timestamp::parse(text); });
    CAPTURE(error);
    const bool ends_early = error.starts_with("time '" + text + "' ends too early: expected ");
    CHECK((ends_early || error.starts_with("time '" + text + "': expected ")));
    CHECK(has_text(error, c.expected));
  }
}

TEST_CASE("a time is printed with Z, and with six digits of a fraction or none") {
  CHECK(Timestamp{0}.to_string() == "1970-01-01T00:00:00Z");
  CHECK(Timestamp{1'675'168'496'000'000}.to_string() == "2023-01-31T12:34:56Z");
  CHECK(Timestamp{1'675'168'496'000'120}.to_string() == "2023-01-31T12:34:56.000120Z");
  CHECK(Timestamp{-1}.to_string() == "1969-12-31T23:59:59.999999Z");
  CHECK(Timestamp{std::numeric_limits<int64_t>::max()}.to_string() == "294247-01-10T04:00:54.775807Z");
  CHECK(Timestamp{std::numeric_limits<int64_t>::min()}.to_string() == "-290308-12-21T19:59:05.224192Z");
}

TEST_CASE("printing and parsing are inverses over all years") {
  std::mt19937_64 random(3);
  const int64_t first = Timestamp::parse("0001-01-01").microseconds;
  const int64_t last = Timestamp::parse("9999-12-31T23:59:59.999999Z").microseconds;
  std::uniform_int_distribution<int64_t> any(first, last);
  for (int i = 0; i < 20'000; ++i) {
    const Timestamp time{any(random)};
    REQUIRE(Timestamp::parse(time.to_string()) == time);
  }
}

TEST_CASE("each day of four centuries is one day after the day before") {
  Timestamp day = Timestamp::parse("1999-12-31");
  const Timestamp end = Timestamp::parse("2400-03-02");
  std::string last = day.to_string();
  while (day < end) {
    day.microseconds += 86'400'000'000;
    const std::string text = day.to_string();
    REQUIRE(text > last);
    REQUIRE(Timestamp::parse(text.substr(0, 10)) == day);
    last = text;
  }
}

TEST_CASE("a time range between dates includes both days as a whole") {
  struct Case {
    std::string text;
    const char* start;
    const char* end;
  };
  const Case cases[] = {
      {"2023-01-01/2023-01-15", "2023-01-01T00:00:00Z", "2023-01-15T23:59:59.999999Z"},
      {"2023-01-01", "2023-01-01T00:00:00Z", "2023-01-01T23:59:59.999999Z"},
      {"2023-01-01T06:00:00Z", "2023-01-01T06:00:00Z", "2023-01-01T06:00:00Z"},
      {"2023-01-01T06:00:00Z/2023-01-01", "2023-01-01T06:00:00Z", "2023-01-01T23:59:59.999999Z"},
      {" 2023-01-01 / 2023-01-02T00:00:00 ", "2023-01-01T00:00:00Z", "2023-01-02T00:00:00Z"},
      {"2023-01-01T00:00:00+02:00/2023-01-01", "2022-12-31T22:00:00Z", "2023-01-01T23:59:59.999999Z"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.text);
    const TimeRange range = TimeRange::parse(c.text);
    CHECK(range.start.to_string() == c.start);
    CHECK(range.end.to_string() == c.end);
  }
}

TEST_CASE("an empty bound and '..' are open bounds of a time range") {
  constexpr auto kFirst = std::numeric_limits<int64_t>::min();
  constexpr auto kLast = std::numeric_limits<int64_t>::max();
  for (const std::string text : {"../2023-01-01", "/2023-01-01", " .. / 2023-01-01"}) {
    CAPTURE(text);
    CHECK(TimeRange::parse(text).start.microseconds == kFirst);
    CHECK(TimeRange::parse(text).end.to_string() == "2023-01-01T23:59:59.999999Z");
  }
  for (const std::string text : {"2023-01-01/..", "2023-01-01/"}) {
    CAPTURE(text);
    CHECK(TimeRange::parse(text).end.microseconds == kLast);
    CHECK(TimeRange::parse(text).start.to_string() == "2023-01-01T00:00:00Z");
  }
}

TEST_CASE("a year and a month are all of their days") {
  const auto parsed = [](const char* text) {
    const TimeRange range = TimeRange::parse(text);
    return range.start.to_string() + " " + range.end.to_string();
  };
  CHECK(parsed("2023") == "2023-01-01T00:00:00Z 2023-12-31T23:59:59.999999Z");
  CHECK(parsed("2024-02") == "2024-02-01T00:00:00Z 2024-02-29T23:59:59.999999Z");
  CHECK(parsed("2023-12/2024") == "2023-12-01T00:00:00Z 2024-12-31T23:59:59.999999Z");
  CHECK(parsed("1969") == "1969-01-01T00:00:00Z 1969-12-31T23:59:59.999999Z");
  CHECK(parsed("9999") == "9999-01-01T00:00:00Z 9999-12-31T23:59:59.999999Z");
  CHECK(TimeRange::parse("../2023").end == TimeRange::parse("2023").end);
  CHECK(TimeRange::parse("2023-06/..").start == Timestamp::parse("2023-06-01"));
}

TEST_CASE("malformed time ranges are query errors") {
  struct Case {
    std::string text;
    const char* expected;
  };
  const Case cases[] = {
      {"", "expected TIME or START/END"},
      {"/", "expected TIME or START/END"},
      {"../..", "expected TIME or START/END"},
      {"..", "expected TIME or START/END"},
      {"2023-01-02/2023-01-01", "the start is after the end"},
      {"2023-01-02T00:00:01Z/2023-01-02T00:00:00Z", "the start is after the end"},
      {"2023-01-01/2023-01-02/2023-01-03", "found '/2023-01-03'"},
      {"2023-01-01/P1D", "a year"},
      {"2023-13", "a month from 01 to 12"},
      {"0000", "a year from 0001 to 9999"},
      {"2023-1", "a month"},
      {"202", "a year"},
      {"2023-/2024", "a month"},
      {"2024/2023", "the start is after the end"},
      {"2023-01-01/2023-02-30", "a day from 01 to 28"},
      {"yesterday", "a year"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.text);
    const auto error = text_of<QueryError>([&] { TimeRange::parse(c.text); });
    CAPTURE(error);
    CHECK(has_text(error, c.expected));
  }
}
