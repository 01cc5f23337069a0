#include "raster/sample_order.hpp"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>

#include "tacore/error.hpp"

namespace tacore {
namespace {

/// Numbers that make the keys of an epoch differ from each other.
constexpr uint64_t kRingKey = 0x52494E47, kWindowKey = 0x57494E44;

/// Blocks of the first window.
constexpr int64_t kSmallestWindow = 4;

void require_at_least(const char* name, int64_t value, int64_t least) {
  if (value >= least) return;
  throw QueryError(std::string(name) + " is " + std::to_string(value) + ", at least " + std::to_string(least) +
                   " expected");
}

}  // namespace

SampleOrder::SampleOrder(const LoaderOptions& options, int64_t num_samples, std::vector<int64_t> by_place)
    : num_samples_(num_samples), by_place_(std::move(by_place)) {
  require_at_least("shuffle_block", options.shuffle_block, 0);
  require_at_least("shuffle_window", options.shuffle_window, 1);
  if (options.shuffle_block > 0 && !options.seed)
    throw QueryError("shuffle_block is set and seed is not: nothing is shuffled without a seed");
  if (!options.seed) return;
  key_ = mix_bits(mix_bits(*options.seed) ^ static_cast<uint64_t>(options.epoch));
  if (options.shuffle_block == 0 || num_samples == 0) {
    shuffled_.emplace(num_samples, key_);
    return;
  }
  block_size_ = std::min(options.shuffle_block, num_samples);
  num_blocks_ = (num_samples - 1) / block_size_ + 1;
  window_size_ = std::min(options.shuffle_window, num_blocks_);
  while ((kSmallestWindow << num_growing_) < window_size_) ++num_growing_;
  missing_ = num_blocks_ * block_size_ - num_samples;
  ring_begin_ = static_cast<int64_t>(mix_bits(key_ ^ kRingKey) % static_cast<uint64_t>(num_samples));
  shuffled_.emplace(num_blocks_, key_);
  short_block_ = shuffled_->position_of(num_blocks_ - 1);
}

/// The first sample of a block, counted in the order of blocks that are not mixed.
int64_t SampleOrder::begin_of(int64_t block) const {
  if (block >= num_blocks_) return num_samples_;
  return block * block_size_ - (block > short_block_ ? missing_ : 0);
}

int64_t SampleOrder::block_at(int64_t unmixed) const {
  return (unmixed + (unmixed >= begin_of(short_block_ + 1) ? missing_ : 0)) / block_size_;
}

SampleOrder::Window SampleOrder::window_of(int64_t place) const {
  const int64_t block = block_at(place), growing = blocks_before(num_growing_);
  // Before window n of those that grow are kSmallestWindow * (2^n - 1) blocks.
  const int64_t number = block < growing ? std::bit_width(static_cast<uint64_t>(block / kSmallestWindow + 1)) - 1
                                         : num_growing_ + (block - growing) / window_size_;
  return {number, begin_of(blocks_before(number)), begin_of(blocks_before(number + 1))};
}

int64_t SampleOrder::blocks_before(int64_t window) const {
  const int64_t growing = std::min(window, num_growing_);
  const int64_t blocks = kSmallestWindow * ((int64_t{1} << growing) - 1) + (window - growing) * window_size_;
  return std::min(blocks, num_blocks_);
}

/// The sample at `place`, counted in the order of blocks that are not mixed.
int64_t SampleOrder::unmixed(int64_t place) const {
  const Window window = window_of(place);
  const Permutation mixed(window.end - window.begin,
                          mix_bits(key_ ^ kWindowKey) ^ static_cast<uint64_t>(window.number));
  return window.begin + mixed(place - window.begin);
}

int64_t SampleOrder::block(int64_t place) const { return block_at(unmixed(place)); }

int64_t SampleOrder::window_end(int64_t place) const { return window_of(place).end; }

int64_t SampleOrder::row(int64_t place) const {
  if (!has_blocks()) return shuffled_ ? (*shuffled_)(place) : place;
  const int64_t at = unmixed(place), block = block_at(at);
  const int64_t on_ring = (*shuffled_)(block)*block_size_ + at - begin_of(block);
  const int64_t from_end = num_samples_ - ring_begin_;
  const int64_t found = on_ring < from_end ? ring_begin_ + on_ring : on_ring - from_end;
  return by_place_.empty() ? found : by_place_[static_cast<std::size_t>(found)];
}

}  // namespace tacore
