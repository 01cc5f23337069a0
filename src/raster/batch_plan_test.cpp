#include "raster/batch_plan.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "tacore/error.hpp"

using namespace tacore;

namespace {

struct Split {
  int batch_size, world_size, num_shards;
};

constexpr Split kSplits[] = {{1, 1, 1}, {4, 1, 1}, {4, 1, 3}, {3, 2, 1}, {3, 2, 2}, {5, 3, 2}, {2, 7, 3}, {100, 4, 2}};

LoaderOptions options_of(const Split& split, int rank, int shard, int64_t start = 0, bool drop_last = false) {
  return {.batch_size = split.batch_size,
          .start = start,
          .drop_last = drop_last,
          .rank = rank,
          .world_size = split.world_size,
          .shard = shard,
          .num_shards = split.num_shards};
}

/// The batches of a rank, its shards taking turns.
std::vector<BatchRange> batches_of(const Split& split, int rank, int64_t num_samples, int64_t start = 0,
                                   bool drop = false) {
  std::vector<BatchPlan> shards;
  for (int shard = 0; shard < split.num_shards; ++shard) {
    shards.emplace_back(options_of(split, rank, shard, start, drop), num_samples);
  }
  std::vector<BatchRange> out;
  for (int64_t turn = 0;; ++turn) {
    for (const auto& shard : shards) {
      if (turn == shard.num_batches()) return out;
      out.push_back(shard.batch(turn));
    }
  }
}

/// The samples that are left give each rank at least one in every step.
bool can_be_even(const Split& split, int64_t num_left) {
  const int64_t step = int64_t{split.batch_size} * split.world_size, rest = num_left % step;
  return rest == 0 || rest >= split.world_size || (num_left > step && split.batch_size > 1);
}

TEST_CASE("the batches of all ranks, step by step, are the global order, and all ranks have as many") {
  for (const auto& split : kSplits) {
    for (int64_t num_samples = 0; num_samples <= 64; ++num_samples) {
      for (const int64_t start : {int64_t{0}, num_samples / 3, num_samples}) {
        CAPTURE(split.batch_size);
        CAPTURE(split.world_size);
        CAPTURE(split.num_shards);
        CAPTURE(num_samples);
        CAPTURE(start);
        if (!can_be_even(split, num_samples - start)) {
          CHECK_THROWS_AS(batches_of(split, 0, num_samples, start), QueryError);
          continue;
        }
        std::vector<std::vector<BatchRange>> ranks;
        std::size_t num_steps = 0;
        for (int rank = 0; rank < split.world_size; ++rank) {
          ranks.push_back(batches_of(split, rank, num_samples, start));
          num_steps = std::max(num_steps, ranks.back().size());
        }
        int64_t at = start;
        for (std::size_t step = 0; step < num_steps; ++step) {
          int64_t next_start = -1;
          for (const auto& rank : ranks) {
            REQUIRE(rank.size() == num_steps);
            REQUIRE(rank[step].begin == at);
            REQUIRE(rank[step].count > 0);
            REQUIRE(rank[step].count <= split.batch_size);
            at += rank[step].count;
            next_start = rank[step].next_start;
          }
          REQUIRE(at == next_start);  // of the step, whatever the rank
        }
        REQUIRE(at == num_samples);
      }
    }
  }
}

TEST_CASE("a short last step is distributed evenly over the ranks") {
  // 17 samples, steps of 12: the last one has 5 for three ranks.
  const Split split{4, 3, 1};
  CHECK(batches_of(split, 0, 17) == std::vector<BatchRange>{{0, 4, 12}, {12, 2, 17}});
  CHECK(batches_of(split, 1, 17) == std::vector<BatchRange>{{4, 4, 12}, {14, 2, 17}});
  CHECK(batches_of(split, 2, 17) == std::vector<BatchRange>{{8, 4, 12}, {16, 1, 17}});
  CHECK(plan_batches(options_of(split, 2, 0), 17) == batches_of(split, 2, 17));
}

TEST_CASE("a last step with fewer samples than ranks is filled from the step before") {
  // 14 samples, steps of 12: two would be left for three ranks.
  const Split split{4, 3, 1};
  CHECK(batches_of(split, 0, 14) == std::vector<BatchRange>{{0, 4, 11}, {11, 1, 14}});
  CHECK(batches_of(split, 1, 14) == std::vector<BatchRange>{{4, 4, 11}, {12, 1, 14}});
  CHECK(batches_of(split, 2, 14) == std::vector<BatchRange>{{8, 3, 11}, {13, 1, 14}});
  // Going on behind the shortened step, also with other sizes, gives the rest.
  CHECK(batches_of(split, 2, 14, 11) == std::vector<BatchRange>{{13, 1, 14}});
  CHECK(batches_of({4, 1, 1}, 0, 14, 11) == std::vector<BatchRange>{{11, 3, 14}});
}

TEST_CASE("ranks that cannot have equal numbers of batches are an error, unless pad repeats samples") {
  const LoaderOptions one{.batch_size = 1, .rank = 2, .world_size = 3};
  CHECK_THROWS_WITH_AS(BatchPlan(one, 4), doctest::Contains("the last step has 1 sample for 3 ranks"), QueryError);
  for (int rank = 0; rank < 3; ++rank) {
    LoaderOptions padded = one;
    padded.rank = rank;
    padded.pad = true;
    const BatchPlan plan(padded, 5);
    REQUIRE(plan.num_batches() == 2);
    CHECK(plan.batch(0) == BatchRange{rank, 1, 3});
    CHECK(plan.batch(1) == BatchRange{3 + rank % 2, 1, 5});
  }
  LoaderOptions dropped = one;
  dropped.drop_last = true;
  CHECK(BatchPlan(dropped, 4).num_batches() == 1);
}

TEST_CASE("with drop_last all ranks have the same number of whole batches") {
  for (const auto& split : kSplits) {
    for (int64_t num_samples = 0; num_samples <= 64; ++num_samples) {
      for (int rank = 0; rank < split.world_size; ++rank) {
        const auto batches = batches_of(split, rank, num_samples, 0, true);
        REQUIRE(static_cast<int64_t>(batches.size()) == num_samples / (split.batch_size * split.world_size));
        for (const auto& batch : batches) REQUIRE(batch.count == split.batch_size);
      }
    }
  }
}

TEST_CASE("sample counts far beyond 32 bits are distributed") {
  const int64_t num_samples = INT64_MAX;
  const Split split{INT32_MAX, INT32_MAX, 1};
  LoaderOptions options = options_of(split, INT32_MAX - 1, 0, INT64_MAX - 5);
  CHECK_THROWS_AS(BatchPlan(options, num_samples), QueryError);
  options.pad = true;
  CHECK(BatchPlan(options, num_samples).batch(0) == BatchRange{INT64_MAX - 5 + (INT32_MAX - 1) % 5, 1, INT64_MAX});
  options.rank = 1;
  CHECK(BatchPlan(options, num_samples).batch(0) == BatchRange{INT64_MAX - 4, 1, INT64_MAX});
}

TEST_CASE("invalid batch sizes, ranks and positions are refused") {
  const auto refuse = [](LoaderOptions options, const char* why) {
    CHECK_THROWS_WITH_AS(BatchPlan(options, 10), why, QueryError);
  };
  refuse({.batch_size = 0}, "batch_size is 0, at least 1 expected");
  refuse({.start = -1}, "start is -1, 0 to 10 expected");
  refuse({.start = 11}, "start is 11, 0 to 10 expected");
  refuse({.rank = 1}, "rank is 1, 0 to 0 expected");
  refuse({.rank = -1, .world_size = 2}, "rank is -1, 0 to 1 expected");
  refuse({.world_size = 0}, "world_size is 0, at least 1 expected");
  refuse({.shard = 2, .num_shards = 2}, "shard is 2, 0 to 1 expected");
  refuse({.num_shards = -3}, "num_shards is -3, at least 1 expected");
}

}  // namespace
