#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "raster/permutation.hpp"
#include "tacore/raster/loader.hpp"

namespace tacore {

/// The order of an epoch: which row is at a place of it. It is that of the rows, or all samples are shuffled, or blocks
/// of them (LoaderOptions::shuffle_block). Computed, never stored: any row in constant time, and the same on every
/// machine and in every version, since trainings resume by it.
///
/// Blocks are the runs of `shuffle_block` neighbours on a ring of all samples, from a place on it that each epoch
/// chooses, so that other samples are the neighbours of a block's ends; one block is shorter when the size is not a
/// multiple. The blocks are shuffled, and each `shuffle_window` of them in this order are a window, whose samples are
/// shuffled among each other. The first windows have 4, 8, 16, ... blocks, as long as these are fewer: an epoch begins
/// when its first window has been read.
class SampleOrder {
 public:
  /// `by_place`: the rows in the order of their bytes; empty: that is the order of the rows. Throws QueryError for
  /// options that are out of range.
  SampleOrder(const LoaderOptions& options, int64_t num_samples, std::vector<int64_t> by_place = {});

  /// The row at `place`, which is in [0, num_samples).
  int64_t row(int64_t place) const;
  /// True where blocks are shuffled. The functions below need that.
  bool has_blocks() const noexcept { return block_size_ > 0; }
  /// The block of the sample at `place`, counted in their shuffled order.
  int64_t block(int64_t place) const;
  /// The end of the window that `place` is in.
  int64_t window_end(int64_t place) const;

 private:
  struct Window {
    int64_t number = 0;
    int64_t begin = 0;  ///< samples, in the order of blocks that are not mixed
    int64_t end = 0;
  };

  int64_t begin_of(int64_t block) const;
  int64_t block_at(int64_t unmixed) const;
  int64_t blocks_before(int64_t window) const;
  Window window_of(int64_t place) const;
  int64_t unmixed(int64_t place) const;

  int64_t num_samples_;
  std::vector<int64_t> by_place_;
  uint64_t key_ = 0;
  std::optional<Permutation> shuffled_ = {};  ///< of samples, or of blocks
  int64_t block_size_ = 0;                    ///< 0: no blocks
  int64_t window_size_ = 0;                   ///< in blocks
  int64_t num_growing_ = 0;                   ///< windows at the beginning that have fewer
  int64_t num_blocks_ = 0;
  int64_t ring_begin_ = 0;   ///< where the first block of the ring begins
  int64_t short_block_ = 0;  ///< place in the shuffled order of the block that may be shorter
  int64_t missing_ = 0;      ///< samples that it lacks
};

}  // namespace tacore
