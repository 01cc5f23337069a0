#include "batch_plan.hpp"

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
      worker_(options.worker),
      num_workers_(options.num_workers) {
  if (options.batch_size < 1)
    throw QueryError("batch_size is " + std::to_string(options.batch_size) + ", at least 1 expected");
  check_member("rank", rank_, "world_size", world_size_);
  check_member("worker", worker_, "num_workers", num_workers_);
  check_range("start", start_, 0, end_);
  const int64_t rest = (end_ - start_) % step_size_;
  int64_t num_steps = (end_ - start_) / step_size_;
  if (rest > 0 && !options.drop_last && part(num_steps).count > 0) ++num_steps;
  if (num_steps > worker_) num_batches_ = (num_steps - worker_ - 1) / num_workers_ + 1;
}

BatchPlan::Part BatchPlan::batch(int64_t number) const noexcept { return part(number * num_workers_ + worker_); }

BatchPlan::Part BatchPlan::part(int64_t step) const noexcept {
  const int64_t begin = start_ + step * step_size_;
  const int64_t size = std::min(step_size_, end_ - begin);
  const int64_t each = size / world_size_, more = size % world_size_;
  return {begin + rank_ * each + std::min<int64_t>(rank_, more), each + (rank_ < more ? 1 : 0), begin + size};
}

}  // namespace tacore
