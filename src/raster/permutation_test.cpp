#include "raster/permutation.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <vector>

using namespace tacore;

namespace {

std::vector<int64_t> all_of(int64_t size, uint64_t key) {
  const Permutation permutation(size, key);
  std::vector<int64_t> out;
  for (int64_t i = 0; i < size; ++i) out.push_back(permutation(i));
  return out;
}

bool is_bijection(int64_t size, uint64_t key) {
  std::vector<bool> seen(static_cast<std::size_t>(size));
  for (const int64_t at : all_of(size, key)) {
    if (at < 0 || at >= size || seen[static_cast<std::size_t>(at)]) return false;
    seen[static_cast<std::size_t>(at)] = true;
  }
  return true;
}

TEST_CASE("a permutation has every position exactly once, for any size and key") {
  for (int64_t size = 1; size <= 300; ++size) {
    CAPTURE(size);
    CHECK(is_bijection(size, 0));
    CHECK(is_bijection(size, 0x123456789abcdef0));
  }
  for (const int64_t size : {1023, 1024, 1025, 4095, 4096, 4097, 65535, 65536, 65537, 100'000}) {
    CAPTURE(size);
    CHECK(is_bijection(size, 7));
  }
}

TEST_CASE("the position of an element is where it is found") {
  for (const int64_t size : {1, 2, 5, 64, 1000, 4097}) {
    const Permutation permutation(size, 11);
    for (int64_t position = 0; position < size; ++position)
      REQUIRE(permutation.position_of(permutation(position)) == position);
  }
}

TEST_CASE("the order of a key never changes, since trainings resume by it") {
  CHECK(all_of(10, 0) == std::vector<int64_t>{2, 0, 8, 1, 9, 7, 4, 5, 6, 3});
  CHECK(all_of(10, 1) == std::vector<int64_t>{1, 6, 8, 0, 3, 5, 2, 7, 4, 9});
  const Permutation large(1'000'000'007, 42);
  CHECK(large(0) == 389000613);
  CHECK(large(1) == 602615463);
  CHECK(large(1'000'000'006) == 745022722);
}

TEST_CASE("positions of the largest sizes stay in range, in constant time") {
  for (const int64_t size : {std::numeric_limits<int64_t>::max(), (int64_t{1} << 62) + 1, int64_t{1} << 62}) {
    CAPTURE(size);
    const Permutation permutation(size, 3);
    for (const int64_t at : {int64_t{0}, int64_t{1}, size / 2, size - 1}) {
      CHECK(permutation(at) >= 0);
      CHECK(permutation(at) < size);
    }
    CHECK(permutation(0) != permutation(1));
  }
}

// What a position becomes, over many keys, is uniform: chi-square of 16 cells with 15 degrees of freedom is above 37.7
// once in a thousand; the keys are fixed, so this never flickers.
TEST_CASE("every position moves to every other with the same probability") {
  constexpr int64_t kSize = 1000, kCells = 16;
  constexpr int kKeys = 16'000;
  for (const int64_t position : {0, 1, 511, 999}) {
    std::vector<int> counts(kCells);
    for (uint64_t key = 0; key < kKeys; ++key) {
      ++counts[static_cast<std::size_t>(Permutation(kSize, key)(position) * kCells / kSize)];
    }
    double chi_square = 0;
    for (std::size_t cell = 0; cell < kCells; ++cell) {
      // 1000 / 16 is no integer: some cells have 63 positions, others 62.
      const auto begin = (static_cast<int64_t>(cell) * kSize + kCells - 1) / kCells;
      const auto end = ((static_cast<int64_t>(cell) + 1) * kSize + kCells - 1) / kCells;
      const double expected = kKeys * static_cast<double>(end - begin) / kSize;
      chi_square += (counts[cell] - expected) * (counts[cell] - expected) / expected;
    }
    CAPTURE(position);
    CHECK(chi_square < 37.7);
  }
}

TEST_CASE("neighbours are separated, and few positions are fixed points") {
  const auto order = all_of(10'000, 5);
  int neighbours = 0, fixed = 0;
  for (std::size_t i = 1; i < order.size(); ++i) {
    neighbours += order[i] == order[i - 1] + 1;
    fixed += order[i] == static_cast<int64_t>(i);
  }
  CHECK(neighbours < 10);  // one is expected of chance
  CHECK(fixed < 10);
}

}  // namespace
