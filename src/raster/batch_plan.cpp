#include "raster/batch_plan.hpp"

#include <algorithm>
#include <string>

#include "tacore/error.hpp"

namespace tacore {
namespace {

void check_range(const char* name, int64_t value, int64_t min, int64_t max) {
  if (value >= min && value <= max) return;
  throw QueryError(std::string(name) + " is " + std::to_string(value) + ", " + std::to_string(min) + " to " +
                   std::to_string(max) + " expected");
}

void check_member(const char* name, int member, const char* count_name, int count) {
  if (count < 1) throw QueryError(std::string(count_name) + " is " + std::to_string(count) + ", at least 1 expected");
  check_range(name, member, 0, count - 1);
}

}  // namespace

BatchPlan::BatchPlan(const LoaderOptions& options, int64_t num_samples)
    : start_(options.start),
      end_(num_samples),
      step_size_(int64_t{options.batch_size} * options.world_size),
      rank_(options.rank),
      world_size_(options.world_size),
      shard_(options.shard),
      num_shards_(options.num_shards) {
  if (options.batch_size < 1)
    throw QueryError("batch_size is " + std::to_string(options.batch_size) + ", at least 1 expected");
  check_member("rank", rank_, "world_size", world_size_);
  check_member("shard", shard_, "num_shards", num_shards_);
  check_range("start", start_, 0, end_);
  const int64_t rest = (end_ - start_) % step_size_;
  num_steps_ = (end_ - start_) / step_size_;
  last_size_ = step_size_;
  if (options.drop_last) {
    end_ -= rest;
  } else if (rest > 0) {
    last_size_ = rest;
    if (rest < world_size_ && num_steps_ > 0 && options.batch_size > 1) {
      last_size_ = world_size_;  // the step before has at least one for each rank without one
    } else if (rest < world_size_ && !options.pad) {
      throw QueryError("the last step has " + std::to_string(rest) + (rest == 1 ? " sample" : " samples") + " for " +
                       std::to_string(world_size_) +
                       " ranks, and a rank without a batch blocks the others; drop_last leaves the step out, "
                       "pad repeats samples, and shards, which do not wait for each other, may differ in batches");
    }
    ++num_steps_;
  }
  if (num_steps_ > shard_) num_batches_ = (num_steps_ - shard_ - 1) / num_shards_ + 1;
}

BatchRange BatchPlan::batch(int64_t number) const noexcept {
  const int64_t step = number * num_shards_ + shard_;
  const int64_t last_begin = end_ - last_size_;
  const int64_t begin = step + 1 == num_steps_ ? last_begin : start_ + step * step_size_;
  const int64_t end = step + 1 == num_steps_ ? end_ : std::min(begin + step_size_, last_begin);
  const int64_t size = end - begin;
  if (size < world_size_) return {begin + rank_ % size, 1, end};  // padded
  const int64_t each = size / world_size_, more = size % world_size_;
  return {begin + rank_ * each + std::min<int64_t>(rank_, more), each + (rank_ < more ? 1 : 0), end};
}

std::vector<BatchRange> plan_batches(const LoaderOptions& options, int64_t num_samples) {
  const BatchPlan plan(options, num_samples);
  std::vector<BatchRange> out;
  for (int64_t number = 0; number < plan.num_batches(); ++number) out.push_back(plan.batch(number));
  return out;
}

}  // namespace tacore
