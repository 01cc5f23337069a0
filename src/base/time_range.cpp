#include "tacore/time_range.hpp"

#include <algorithm>
#include <cstdio>

#include "base/epoch.hpp"
#include "base/text.hpp"
#include "tacore/error.hpp"

namespace tacore {

namespace {

constexpr int64_t kSecond = 1'000'000;
constexpr int64_t kDay = 86'400 * kSecond;

/// Days from 1970-01-01 in the proleptic Gregorian calendar. Years are counted from March, so that
/// the leap day is the last day of its year; a cycle of 400 years has 146097 days.
constexpr int64_t days_from_civil(int64_t year, int64_t month, int64_t day) {
  const int64_t y = month > 2 ? year : year - 1;
  const int64_t cycle = (y >= 0 ? y : y - 399) / 400;
  const int64_t year_of_cycle = y - cycle * 400;
  const int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  const int64_t leap_days = year_of_cycle / 4 - year_of_cycle / 100;
  return cycle * 146'097 + year_of_cycle * 365 + leap_days + day_of_year - 719'468;
}

struct Civil {
  int64_t year, month, day;
};

constexpr Civil civil_from_days(int64_t days) {
  const int64_t from_march_0 = days + 719'468;
  const int64_t cycle = (from_march_0 >= 0 ? from_march_0 : from_march_0 - 146'096) / 146'097;
  const int64_t day_of_cycle = from_march_0 - cycle * 146'097;
  const int64_t year_of_cycle =
      (day_of_cycle - day_of_cycle / 1460 + day_of_cycle / 36'524 - day_of_cycle / 146'096) / 365;
  const int64_t day_of_year = day_of_cycle - (year_of_cycle * 365 + year_of_cycle / 4 - year_of_cycle / 100);
  const int64_t month_from_march = (5 * day_of_year + 2) / 153;
  const int64_t month = month_from_march + (month_from_march < 10 ? 3 : -9);
  return {cycle * 400 + year_of_cycle + (month <= 2 ? 1 : 0), month,
          day_of_year - (153 * month_from_march + 2) / 5 + 1};
}

constexpr int64_t kFirst = days_from_civil(1, 1, 1) * kDay;
constexpr int64_t kLast = days_from_civil(10'000, 1, 1) * kDay - 1;

constexpr int64_t days_in_month(int64_t year, int64_t month) {
  return month == 12 ? 31 : days_from_civil(year, month + 1, 1) - days_from_civil(year, month, 1);
}

struct Parsed {
  int64_t microseconds;
  bool has_time;
};

/// One reading of RFC 3339 text, left to right.
class TimeParser {
 public:
  explicit TimeParser(std::string_view text) : text_(text), rest_(text) {}

  Parsed parse() {
    int64_t out = date() * kDay;
    const bool has_time = !rest_.empty();
    if (has_time) {
      if (!take('T') && !take('t') && !take(' ')) fail("the end, or T and a time of day");
      out += time_of_day();
      out -= zone();
      if (!rest_.empty()) fail("the end");
    }
    // The zone of 0001-01-01T00:00:00+01:00 leads out of the years that can be written.
    if (out < kFirst || out > kLast) fail_whole("a year from 0001 to 9999 in UTC");
    return {out, has_time};
  }

 private:
  int64_t date() {
    const int64_t year = digits(4, 1, 9999, "a year from 0001 to 9999");
    expect('-', "YYYY-MM-DD");
    const int64_t month = digits(2, 1, 12, "a month from 01 to 12");
    expect('-', "YYYY-MM-DD");
    const int64_t last = days_in_month(year, month);
    const auto wanted = "a day from 01 to " + std::to_string(last);
    return days_from_civil(year, month, digits(2, 1, last, wanted.c_str()));
  }

  int64_t time_of_day() {
    const int64_t hour = digits(2, 0, 23, "an hour from 00 to 23");
    expect(':', "HH:MM:SS");
    const int64_t minute = digits(2, 0, 59, "a minute from 00 to 59");
    // RFC 3339 wants seconds; ISO 8601, and what Python prints, may end here.
    if (!take(':')) return (hour * 60 + minute) * 60 * kSecond;
    // 60 is a leap second; the count of microseconds has none, so it becomes the next second.
    const int64_t second = digits(2, 0, 60, "a second from 00 to 60");
    return ((hour * 60 + minute) * 60 + second) * kSecond + fraction();
  }

  int64_t fraction() {
    if (!take('.')) return 0;
    if (!next_is_digit()) fail("digits of a second");
    int64_t out = 0;
    for (int64_t unit = kSecond / 10; next_is_digit(); unit /= 10) {
      out += (rest_.front() - '0') * unit;
      rest_.remove_prefix(1);
    }
    return out;
  }

  int64_t zone() {
    if (rest_.empty() || take('Z') || take('z')) return 0;
    const int64_t sign = take('-') ? -1 : 1;
    if (sign > 0 && !take('+')) fail("Z or an offset such as +02:00");
    const int64_t hours = digits(2, 0, 23, "hours of an offset from 00 to 23");
    // ISO 8601 and SQL engines also write +0200 and +02.
    if (rest_.empty()) return sign * hours * 3600 * kSecond;
    take(':');
    const int64_t minutes = digits(2, 0, 59, "minutes of an offset from 00 to 59");
    return sign * (hours * 60 + minutes) * 60 * kSecond;
  }

  int64_t digits(std::size_t count, int64_t least, int64_t most, const char* wanted) {
    int64_t out = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (i >= rest_.size() || !is_digit(rest_[i])) fail(wanted);
      out = out * 10 + (rest_[i] - '0');
    }
    if (out < least || out > most) fail(wanted);
    rest_.remove_prefix(count);
    return out;
  }

  bool next_is_digit() const { return !rest_.empty() && is_digit(rest_.front()); }

  bool take(char c) {
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }

  void expect(char c, const char* wanted) {
    if (!take(c)) fail(wanted);
  }

  [[noreturn]] void fail(const std::string& wanted) const {
    if (rest_.empty()) throw QueryError("time " + tacore::in_quotes(text_) + " ends too early: expected " + wanted);
    fail_whole(wanted + ", found " + tacore::in_quotes(rest_));
  }

  [[noreturn]] void fail_whole(const std::string& wanted) const {
    throw QueryError("time " + tacore::in_quotes(text_) + ": expected " + wanted);
  }

  std::string_view text_;
  std::string_view rest_;
};

std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

bool is_open(std::string_view bound) { return bound.empty() || bound == ".."; }

/// The first and last microsecond of a year (`2005`), a month (`2005-06`) or a day; twice those of a time of day.
TimeRange period(std::string_view bound) {
  const bool is_year = bound.size() == 4 && std::all_of(bound.begin(), bound.end(), is_digit);
  const bool is_month = bound.size() == 7 && std::count(bound.begin(), bound.end(), '-') == 1 && bound[4] == '-';
  const std::string first = std::string(bound) + (is_year ? "-01-01" : is_month ? "-01" : "");
  const Parsed parsed = TimeParser(first).parse();
  if (parsed.has_time) return {{parsed.microseconds}, {parsed.microseconds}};
  const int64_t day = parsed.microseconds / kDay - (parsed.microseconds % kDay < 0 ? 1 : 0);
  const Civil date = civil_from_days(day);
  const int64_t next = is_year    ? days_from_civil(date.year + 1, 1, 1)
                       : is_month ? day + days_in_month(date.year, date.month)
                                  : day + 1;
  return {{parsed.microseconds}, {next * kDay - 1}};
}

Timestamp as_start(std::string_view bound) { return is_open(bound) ? kOpenStart : period(bound).start; }
Timestamp as_end(std::string_view bound) { return is_open(bound) ? kOpenEnd : period(bound).end; }

}  // namespace

Timestamp Timestamp::parse(std::string_view text) { return {TimeParser(text).parse().microseconds}; }

std::string Timestamp::to_string() const {
  const int64_t in_day = (microseconds % kDay + kDay) % kDay;
  const Civil date = civil_from_days(microseconds / kDay - (microseconds % kDay < 0 ? 1 : 0));
  const auto part = [in_day](int64_t unit, int64_t modulo) { return static_cast<int>(in_day / unit % modulo); };
  char out[64];
  std::snprintf(out, sizeof out, "%s%04lld-%02d-%02dT%02d:%02d:%02d", date.year < 0 ? "-" : "",
                static_cast<long long>(date.year < 0 ? -date.year : date.year), static_cast<int>(date.month),
                static_cast<int>(date.day), part(3600 * kSecond, 24), part(60 * kSecond, 60), part(kSecond, 60));
  std::string text = out;
  if (const int fraction = part(1, kSecond); fraction != 0) {
    std::snprintf(out, sizeof out, ".%06d", fraction);
    text += out;
  }
  return text + 'Z';
}

TimeRange TimeRange::parse(std::string_view text) {
  const auto slash = text.find('/');
  const auto left = trim(text.substr(0, slash));
  const auto right = slash == text.npos ? left : trim(text.substr(slash + 1));
  if (is_open(left) && is_open(right)) {
    throw QueryError("time range " + tacore::in_quotes(text) + ": expected TIME or START/END");
  }
  const TimeRange out{as_start(left), as_end(right)};
  if (out.start > out.end) {
    throw QueryError("time range " + tacore::in_quotes(text) + ": the start is after the end");
  }
  return out;
}

}  // namespace tacore
