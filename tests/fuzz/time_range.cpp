#include "tacore/time_range.hpp"

#include "fuzz.hpp"

/// The input is a time or a range of times as text.
namespace tacore::fuzz {
namespace {

void run(Input bytes) {
  expect_errors_only([&] {
    const Timestamp time = Timestamp::parse(text_of(bytes));
    require(Timestamp::parse(time.to_string()) == time, "what is written reads the same");
  });
  expect_errors_only([&] {
    const TimeRange range = TimeRange::parse(text_of(bytes));
    require(range.start <= range.end, "a range ends after it starts");
    range.start.to_string();
    range.end.to_string();
  });
  if (bytes.size() < sizeof(int64_t)) return;
  int64_t microseconds = 0;
  for (std::size_t i = 0; i < sizeof microseconds; ++i)
    microseconds = microseconds << 8 | static_cast<int64_t>(bytes[i]);
  Timestamp{microseconds}.to_string();
}

}  // namespace
}  // namespace tacore::fuzz

TACORE_FUZZ_TARGET(tacore::fuzz::run)
