#pragma once

#include <cstdint>

#include "tacore/raster/loader.hpp"

namespace tacore {

/// Which samples of the global order make up the batches of one rank and shard, as Loader says. Arithmetic only.
class BatchPlan {
 public:
  /// Positions [begin, begin + count) of the global order; all ranks are at `next_start` when they are through the
  /// step.
  struct Part {
    int64_t begin = 0;
    int64_t count = 0;
    int64_t next_start = 0;

    bool operator==(const Part&) const = default;
  };

  /// Throws QueryError for numbers that make no sense.
  BatchPlan(const LoaderOptions& options, int64_t num_samples);

  int64_t num_batches() const noexcept { return num_batches_; }
  /// The batch of this number, from 0; it has at least one sample.
  Part batch(int64_t number) const noexcept;

 private:
  int64_t start_;
  int64_t end_;  ///< of the last step
  int64_t step_size_;
  int64_t last_size_ = 0;  ///< samples of the last step
  int64_t num_steps_ = 0;
  int rank_;
  int world_size_;
  int shard_;
  int num_shards_;
  int64_t num_batches_ = 0;
};

}  // namespace tacore
