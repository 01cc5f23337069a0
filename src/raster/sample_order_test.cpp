#include "raster/sample_order.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <vector>

#include "tacore/error.hpp"

using namespace tacore;

namespace {

std::vector<int64_t> rows_of(const SampleOrder& order, int64_t size) {
  std::vector<int64_t> out;
  for (int64_t place = 0; place < size; ++place) out.push_back(order.row(place));
  return out;
}

LoaderOptions blocks_of(int64_t block, int64_t window, uint64_t seed = 5, int64_t epoch = 0) {
  return {.seed = seed, .epoch = epoch, .shuffle_block = block, .shuffle_window = window};
}

TEST_CASE("an order of blocks has every sample exactly once, for any size, block and window") {
  for (const int64_t size : {1, 2, 3, 7, 16, 97, 100, 256, 1000}) {
    for (const int64_t block : {1, 2, 3, 10, 64, 2000}) {
      for (const int64_t window : {1, 2, 5, 1000}) {
        CAPTURE(size);
        CAPTURE(block);
        CAPTURE(window);
        auto rows = rows_of(SampleOrder(blocks_of(block, window), size), size);
        std::ranges::sort(rows);
        for (int64_t row = 0; row < size; ++row) REQUIRE(rows[static_cast<std::size_t>(row)] == row);
      }
    }
  }
}

// Against the definition: the samples of a block are a run on the ring, those of a window come one after the other.
TEST_CASE("blocks are runs of neighbours, and windows are whole blocks") {
  constexpr int64_t kSize = 103, kBlock = 8, kWindow = 3;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const SampleOrder order(blocks_of(kBlock, kWindow, seed), kSize);
    std::map<int64_t, std::set<int64_t>> blocks, windows;
    for (int64_t place = 0; place < kSize; ++place) {
      blocks[order.block(place)].insert(order.row(place));
      windows[order.window_end(place)].insert(order.block(place));
      REQUIRE(order.window_end(place) > place);
    }
    REQUIRE(blocks.size() == 13);
    int num_short = 0;
    for (const auto& [number, rows] : blocks) {
      const int64_t expected = rows.size() == 7 ? 7 : kBlock;  // 103 = 12 * 8 + 7
      num_short += rows.size() == 7 ? 1 : 0;
      REQUIRE(static_cast<int64_t>(rows.size()) == expected);
      const auto begins =
          std::ranges::count_if(rows, [&](int64_t row) { return !rows.contains(row == 0 ? kSize - 1 : row - 1); });
      REQUIRE(begins == 1);  // one run
    }
    CHECK(num_short == 1);
    REQUIRE(windows.size() == 5);
    int64_t next = 0, begin = 0;
    for (const auto& [end, numbers] : windows) {
      std::size_t samples = 0;
      for (const int64_t number : numbers) {
        REQUIRE(number == next++);
        samples += blocks[number].size();
      }
      REQUIRE(static_cast<int64_t>(samples) == end - begin);
      begin = end;
    }
    CHECK(begin == kSize);
  }
}

TEST_CASE("the order of blocks of a seed never changes, since trainings resume by it") {
  CHECK(rows_of(SampleOrder(blocks_of(3, 2, 0), 10), 10) == std::vector<int64_t>{3, 1, 0, 2, 4, 5, 9, 7, 8, 6});
  CHECK(rows_of(SampleOrder(blocks_of(4, 1, 1, 2), 11), 11) == std::vector<int64_t>{6, 4, 7, 5, 3, 2, 1, 0, 10, 8, 9});
}

TEST_CASE("blocks of one sample, and windows of all blocks, are shuffles of single samples") {
  for (const auto& options : {blocks_of(1, 1), blocks_of(10, 1000)}) {
    int neighbours = 0;
    const auto rows = rows_of(SampleOrder(options, 1000), 1000);
    for (std::size_t i = 1; i < 1000; ++i) neighbours += rows[i] == rows[i - 1] + 1 ? 1 : 0;
    CHECK(neighbours < 15);  // one is expected of chance, in each of the 5 windows that grow to that of all
  }
}

TEST_CASE("each epoch has other blocks, in another order") {
  std::set<std::set<int64_t>> first_blocks;
  for (int64_t epoch = 0; epoch < 8; ++epoch) {
    const SampleOrder order(blocks_of(10, 1, 3, epoch), 1000);
    const auto rows = rows_of(order, 10);
    first_blocks.insert({rows.begin(), rows.end()});
  }
  CHECK(first_blocks.size() == 8);
  int moved = 0;
  for (int64_t epoch = 0; epoch < 8; ++epoch) {
    const SampleOrder order(blocks_of(10, 4, 3, epoch), 1000);
    for (int64_t place = 0; place < 1000; ++place) {
      if (order.row(place) != 500) continue;
      for (int64_t other = 0; other < 1000; ++other)
        moved += order.row(other) == 501 && order.block(other) == order.block(place) ? 1 : 0;
    }
  }
  CHECK(moved >= 4);
  CHECK(moved <= 8);  // they are neighbours, but not in every epoch
}

/// What the others in a batch of 32 have in common with a sample: the mean number of them that are of its block.
double block_mates(const SampleOrder& order, int64_t from, int64_t size) {
  constexpr int64_t kBatch = 32;
  int64_t pairs = 0, samples = 0;
  for (int64_t begin = from; begin + kBatch <= size; begin += kBatch, samples += kBatch) {
    for (int64_t a = begin; a < begin + kBatch; ++a) {
      for (int64_t b = begin; b < begin + kBatch; ++b) pairs += a != b && order.block(a) == order.block(b) ? 1 : 0;
    }
  }
  return static_cast<double>(pairs) / static_cast<double>(samples);
}

TEST_CASE("the first windows grow to the size of all others") {
  constexpr int64_t kSize = 1000;
  const SampleOrder order(blocks_of(5, 20), kSize);
  std::vector<int64_t> sizes;
  for (int64_t begin = 0; begin < kSize; begin = order.window_end(begin))
    sizes.push_back((order.window_end(begin) - begin) / 5);
  CHECK(sizes == std::vector<int64_t>{4, 8, 16, 20, 20, 20, 20, 20, 20, 20, 20, 12});
}

TEST_CASE("the stated quality holds: (n - 1) / window neighbours of its block for each sample in a batch of n") {
  constexpr int64_t kSize = 20'000;
  for (const int64_t window : {4, 16, 64}) {
    CAPTURE(window);
    const int64_t growing = 20 * (window - 4);
    const double found = block_mates(SampleOrder(blocks_of(20, window), kSize), growing, kSize);
    CHECK(found < 31.0 / static_cast<double>(window));
    CHECK(found > 0.85 * 31.0 / static_cast<double>(window));
  }
}

// The mean of the rows in a batch has the variance of that of independent draws, times 1 + (n - 1) r, where r is the
// correlation of two samples of a batch; their rows are almost equal when they are of one block.
TEST_CASE("the means of batches scatter as their block mates say") {
  constexpr int64_t kSize = 102'400, kBatch = 32;
  const auto spread = [&](const LoaderOptions& options) {
    const SampleOrder order(options, kSize);
    double sum = 0;
    const int64_t from = options.shuffle_block * (options.shuffle_window - 4) / kBatch * kBatch;
    for (int64_t begin = from; begin < kSize; begin += kBatch) {
      double mean = 0;
      for (int64_t place = begin; place < begin + kBatch; ++place) mean += static_cast<double>(order.row(place));
      const double apart = mean / kBatch / kSize - 0.5;
      sum += apart * apart;
    }
    return sum / (static_cast<double>(kSize - from) / kBatch) * 12 * kBatch;  // 1 for independent draws
  };
  const double single = spread({.seed = 9});
  CHECK(single > 0.9);
  CHECK(single < 1.1);
  for (const int64_t window : {4, 16, 64}) {
    CAPTURE(window);
    const double expected = 1 + 31.0 * 19 / (static_cast<double>(window) * 20 - 1);
    const double found = spread(blocks_of(20, window, 9));
    CHECK(found > 0.8 * expected);
    CHECK(found < 1.2 * expected);
  }
}

TEST_CASE("rows that are not in the order of their bytes are neighbours by their bytes") {
  std::vector<int64_t> by_place(50);
  std::iota(by_place.begin(), by_place.end(), int64_t{0});
  std::ranges::reverse(by_place);
  const SampleOrder plain(blocks_of(5, 2), 50), reversed(blocks_of(5, 2), 50, by_place);
  for (int64_t place = 0; place < 50; ++place) CHECK(reversed.row(place) == 49 - plain.row(place));
}

TEST_CASE("blocks without a seed, and numbers out of range, are refused") {
  CHECK_THROWS_WITH_AS(SampleOrder({.shuffle_block = 8}, 10), doctest::Contains("seed"), QueryError);
  CHECK_THROWS_WITH_AS(SampleOrder({.seed = 1, .shuffle_block = -1}, 10), doctest::Contains("shuffle_block is -1"),
                       QueryError);
  CHECK_THROWS_WITH_AS(SampleOrder({.seed = 1, .shuffle_block = 2, .shuffle_window = 0}, 10),
                       doctest::Contains("shuffle_window is 0"), QueryError);
  CHECK(rows_of(SampleOrder(blocks_of(4, 4), 0), 0).empty());
}

}  // namespace
