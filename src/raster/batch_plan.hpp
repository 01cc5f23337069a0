#pragma once

#include <cstdint>

#include "tacore/raster/loader.hpp"

namespace tacore {

/// The batches of one rank and shard, as positions in the global order of samples (see Loader). Arithmetic only.
class BatchPlan {
 public:
  /// Throws QueryError for options that are out of range.
  BatchPlan(const LoaderOptions& options, int64_t num_samples);

  int64_t num_batches() const noexcept { return num_batches_; }
  /// The batch of this number, from 0; it has at least one sample.
  BatchRange batch(int64_t number) const noexcept;

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
