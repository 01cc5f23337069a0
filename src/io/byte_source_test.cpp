#include "io/byte_source.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "io/memory_source.hpp"
#include "tacore/error.hpp"

namespace {

using namespace tacore;

/// Byte i is i modulo 251, so that neighbouring pages differ.
Bytes numbered(std::size_t size) {
  Bytes out(size);
  for (std::size_t i = 0; i < size; ++i) out[i] = static_cast<std::byte>(i % 251);
  return out;
}

Bytes part_of(const Bytes& bytes, ByteRange range) {
  const auto first = bytes.begin() + static_cast<std::ptrdiff_t>(range.offset);
  return {first, first + static_cast<std::ptrdiff_t>(range.size)};
}

/// Counts reads and fails on the n-th (0 is the first; -1 never).
class FailingSource final : public ByteSource {
 public:
  explicit FailingSource(Bytes bytes, int failing_read = -1)
      : bytes_(memory_source("failing", std::move(bytes))), failing_read_(failing_read) {}

  const std::string& name() const noexcept override { return bytes_->name(); }
  uint64_t size() const override { return bytes_->size(); }
  bool is_local() const noexcept override { return false; }
  void read(uint64_t offset, std::span<std::byte> out) const override {
    if (num_reads_++ == failing_read_) throw IoError("line is down", {.path = name()});
    bytes_->read(offset, out);
  }

  int num_reads() const { return num_reads_; }

 private:
  std::shared_ptr<const ByteSource> bytes_;
  int failing_read_;
  mutable std::atomic<int> num_reads_ = 0;
};

TEST_CASE("a memory source has its bytes, size and name") {
  const Bytes bytes = numbered(1000);
  const auto source = memory_source("a.bin", bytes);
  CHECK(source->name() == "a.bin");
  CHECK(source->size() == 1000);
  CHECK(source->is_local());
  CHECK(source->read_all() == bytes);
  CHECK(source->read({10, 20}) == part_of(bytes, {10, 20}));
  CHECK(source->read({1000, 0}).empty());
  CHECK(memory_source("", {})->read_all().empty());
}

TEST_CASE("a range past the end is refused before anything is allocated") {
  const auto memory = memory_source("a.bin", numbered(100));
  const auto part = slice(memory, {0, 100});
  const ByteRange bad[] = {{0, 101}, {100, 1}, {101, 0}, {1, UINT64_MAX}, {UINT64_MAX, 1}, {UINT64_MAX, UINT64_MAX}};
  for (const auto& source : {memory, part}) {
    for (const ByteRange& range : bad) {
      CAPTURE(range.offset);
      CAPTURE(range.size);
      const std::string words = "a.bin: read of " + std::to_string(range.size) + " bytes at " +
                                std::to_string(range.offset) + " passes the end at 100";
      CHECK_THROWS_WITH_AS(source->read(range), words.c_str(), IoError);
      const ByteRange ranges[] = {{0, 1}, range};
      CHECK_THROWS_WITH_AS(source->read_ranges(ranges), words.c_str(), IoError);
    }
    std::byte buffer[8];
    CHECK_THROWS_AS(source->read(93, buffer), IoError);
    CHECK_THROWS_AS(source->read(UINT64_MAX, buffer), IoError);
  }
}

TEST_CASE("read_ranges returns ranges in the requested order, for any order in the file") {
  const Bytes bytes = numbered(50000);
  const auto source = memory_source("a", bytes);
  const std::vector<ByteRange> ranges = {{40000, 7}, {0, 3},      {1, 3},       {49999, 1}, {5, 0},
                                         {40000, 7}, {100, 5000}, {39990, 100}, {50000, 0}};
  const auto found = source->read_ranges(ranges);
  REQUIRE(found.size() == ranges.size());
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    CAPTURE(i);
    CHECK(found[i] == part_of(bytes, ranges[i]));
  }
  CHECK(source->read_ranges({}).empty());
}

TEST_CASE("read_ranges merges ranges at most 4 KiB apart and reads nothing for empty ones") {
  struct Case {
    std::string name;
    std::vector<ByteRange> ranges;
    int num_reads;
  };
  const Case cases[] = {
      {"none", {}, 0},
      {"empty", {{0, 0}, {7, 0}}, 0},
      {"one", {{0, 10}}, 1},
      {"4096 apart", {{0, 10}, {4106, 10}}, 1},
      {"4097 apart", {{0, 10}, {4107, 10}}, 2},
      {"backwards", {{4106, 10}, {0, 10}}, 1},
  };
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const FailingSource source(numbered(20000));
    source.read_ranges(c.ranges);
    CHECK(source.num_reads() == c.num_reads);
  }
}

TEST_CASE("any failing read fails read_ranges as a whole") {
  const ByteRange ranges[] = {{0, 10}, {10000, 10}, {10005, 10}, {19000, 10}};
  for (int n = 0; n < 3; ++n) {
    CAPTURE(n);
    const FailingSource source(numbered(20000), n);
    CHECK_THROWS_WITH_AS(source.read_ranges(ranges), "failing: line is down", IoError);
    CHECK(source.num_reads() == n + 1);
  }
  const FailingSource source(numbered(20000), 3);
  CHECK(source.read_ranges(ranges).size() == 4);
}

TEST_CASE("a slice is a source of its own") {
  const Bytes bytes = numbered(1000);
  const auto part = slice(memory_source("a.bin", bytes), {100, 50});
  CHECK(part->name() == "a.bin");
  CHECK(part->size() == 50);
  CHECK(part->is_local());
  CHECK(part->read_all() == part_of(bytes, {100, 50}));
  CHECK(slice(part, {10, 5})->read_all() == part_of(bytes, {110, 5}));
  CHECK(slice(part, {50, 0})->read_all().empty());
  const ByteRange ranges[] = {{45, 5}, {0, 1}};
  const auto found = part->read_ranges(ranges);
  CHECK(found[0] == part_of(bytes, {145, 5}));
  CHECK(found[1] == part_of(bytes, {100, 1}));
}

TEST_CASE("a slice has the locality and the failures of its source") {
  const auto part = slice(std::make_shared<FailingSource>(numbered(10), 0), {0, 10});
  CHECK_FALSE(part->is_local());
  CHECK_THROWS_WITH_AS(part->read_all(), "failing: line is down", IoError);
}

TEST_CASE("a slice outside its source is refused") {
  const auto whole = memory_source("a.bin", numbered(100));
  const ByteRange bad[] = {{0, 101}, {100, 1}, {101, 0}, {UINT64_MAX, 2}, {2, UINT64_MAX}};
  for (const ByteRange& range : bad) {
    CAPTURE(range.offset);
    CHECK_THROWS_WITH_AS(slice(whole, range), doctest::Contains("go beyond the end of the file of 100 bytes"),
                         FormatError);
  }
}

TEST_SUITE("threads") {
  TEST_CASE("a source serves several threads concurrently") {
    const Bytes bytes = numbered(100000);
    const auto source = slice(memory_source("a", bytes), {1000, 90000});
    std::atomic<int> num_wrong = 0;
    std::vector<std::thread> threads;
    for (uint64_t start = 0; start < 4; ++start) {
      threads.emplace_back([&, start] {
        for (uint64_t offset = start; offset < 80000; offset += 1001) {
          num_wrong += source->read({offset, 100}) != part_of(bytes, {offset + 1000, 100});
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    CHECK(num_wrong == 0);
  }
}

}  // namespace
