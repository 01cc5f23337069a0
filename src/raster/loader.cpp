#include "tacore/raster/loader.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "base/interrupt.hpp"
#include "base/text.hpp"
#include "base/threads.hpp"
#include "dataset/dataframe_impl.hpp"
#include "dataset/navigation.hpp"
#include "format/names.hpp"
#include "io/vsi_path.hpp"
#include "raster/about_sample.hpp"
#include "raster/batch_plan.hpp"
#include "raster/permutation.hpp"
#include "tacore/error.hpp"

namespace tacore {
namespace {

/// Threads that read remote samples: most of the time each waits for its one request.
constexpr int kRemoteThreads = 32;

/// An input of the loader, and what all of its samples have in common.
struct Input {
  std::vector<std::string> ids;  ///< the path from the sample to the FILE
  TensorOptions options;
  DataType type = DataType::UInt8;
  std::vector<int64_t> shape = {};  ///< of a sample

  std::size_t sample_size() const {
    std::size_t size = size_of(type);
    for (const int64_t length : shape) size *= static_cast<std::size_t>(length);
    return size;
  }
};

std::string shape_text(DataType type, const std::vector<int64_t>& shape) {
  std::vector<std::string> lengths;
  for (const int64_t length : shape) lengths.push_back(std::to_string(length));
  return std::string(to_string(type)) + " (" + join(lengths, ", ") + ")";
}

std::vector<Input> inputs_of(const LoaderOptions& options) {
  if (options.inputs.empty()) throw QueryError("a loader needs at least one input");
  std::vector<Input> out;
  for (const auto& input : options.inputs) {
    out.push_back({input.path.empty() ? std::vector<std::string>() : split(input.path, '/'), input.tensor});
  }
  return out;
}

std::optional<Permutation> shuffle(const LoaderOptions& options, int64_t num_samples) {
  if (!options.seed) return std::nullopt;
  return Permutation(num_samples, mix_bits(mix_bits(*options.seed) ^ static_cast<uint64_t>(options.epoch)));
}

/// A batch that is being filled. Its threads write to different samples of it.
struct Making {
  Batch batch = {};
  std::vector<std::exception_ptr> errors = {};  ///< of each sample: the error that next() throws
  std::vector<std::string> faults = {};         ///< of each sample: why it is left out
  std::size_t num_begun = 0;
  std::size_t num_done = 0;

  std::size_t size() const { return errors.size(); }
};

}  // namespace

struct Loader::Impl {
  Impl(const DataFrame& frame, const LoaderOptions& given)
      : rows(frame),
        options(given),
        plan(given, frame.num_rows()),
        order(shuffle(given, frame.num_rows())),
        inputs(inputs_of(given)) {
    if (options.jobs < 0) throw QueryError("jobs is " + std::to_string(options.jobs) + ", 0 or more expected");
    if (options.prefetch < 0)
      throw QueryError("prefetch is " + std::to_string(options.prefetch) + ", 0 or more expected");
    if (plan.num_batches() > 0) learn_shapes();
  }
  ~Impl() {
    {
      const std::lock_guard lock(mutex);
      is_stopped = true;
    }
    work_is_there.notify_all();
    for (auto& thread : threads) thread.join();
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  /// True in a forked child process: it has none of the threads, and maybe locks that they held.
  bool is_forked() const { return owner != 0 && owner != ::getpid(); }

  void start_threads() {
    if (owner != 0 || options.prefetch == 0) return;
    const int wanted = num_threads(options.jobs);
    const bool waits = options.jobs == 0 && is_remote(impl_of(rows)->dataset->leaf(0)->path());
    try {
      for (int i = 0; i < (waits ? std::max(wanted, kRemoteThreads) : wanted); ++i)
        threads.emplace_back([this] { run(); });
    } catch (const std::system_error&) {  // no more threads can be started: the existing ones do the work
      if (threads.empty()) throw;
    }
    owner = ::getpid();
  }

  /// Waits for the next batch. Throws for a batch that has errors, and leaves it where it is.
  std::unique_ptr<Making> take(std::vector<Tensor>&& used) {
    std::unique_lock lock(mutex);
    if (!used.empty()) spare.push_back(std::move(used));
    if (num_taken == plan.num_batches()) return nullptr;
    if (options.prefetch == 0 && making.empty()) make_batch();
    const auto is_made = [&] { return !making.empty() && making.front()->num_done == making.front()->size(); };
    while (!batch_is_made.wait_for(lock, kInterruptPeriod, is_made)) {
      lock.unlock();
      throw_if_interrupted();
      lock.lock();
    }
    for (const auto& error : making.front()->errors) {
      if (error) std::rethrow_exception(error);
    }
    auto out = std::move(making.front());
    making.pop_front();
    ++num_taken;
    lock.unlock();
    work_is_there.notify_all();
    return out;
  }

  /// Moves the samples that could not be read from the batch to its failures.
  void leave_out_failures(Making& made) const {
    std::vector<std::size_t> kept;
    for (std::size_t i = 0; i < made.size(); ++i) {
      if (made.faults[i].empty()) {
        kept.push_back(i);
      } else {
        made.batch.failures.push_back({made.batch.positions[i], std::move(made.faults[i])});
      }
    }
    if (kept.size() == made.size()) return;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      Tensor rest = batch_tensor(inputs[i], kept.size());
      const std::size_t size = inputs[i].sample_size();
      for (std::size_t to = 0; to < kept.size(); ++to) {
        std::memcpy(rest.bytes().data() + to * size, made.batch.tensors[i].bytes().data() + kept[to] * size, size);
      }
      made.batch.tensors[i] = std::move(rest);
    }
    for (std::size_t to = 0; to < kept.size(); ++to) made.batch.positions[to] = made.batch.positions[kept[to]];
    made.batch.positions.resize(kept.size());
  }

  const DataFrame rows;
  const LoaderOptions options;
  const BatchPlan plan;
  const std::optional<Permutation> order;
  std::vector<Input> inputs;  ///< fixed after the constructor

  std::mutex mutex;
  std::condition_variable work_is_there, batch_is_made;
  std::deque<std::unique_ptr<Making>> making;  ///< begun and not yet returned, in order
  std::vector<std::vector<Tensor>> spare;      ///< tensors of batches that were given back, for reuse
  int64_t num_taken = 0;
  std::atomic<bool> is_stopped = false;
  std::vector<std::thread> threads;
  pid_t owner = 0;  ///< the process that owns the threads

 private:
  static Tensor batch_tensor(const Input& input, std::size_t num_samples) {
    std::vector<int64_t> shape = input.shape;
    shape.insert(shape.begin(), static_cast<int64_t>(num_samples));
    return Tensor(input.type, std::move(shape));
  }

  std::string name_of(int64_t position) const {
    const auto& all = *impl_of(rows)->rows;
    const int column = all.find(names::kId);
    const auto id = column < 0 ? std::nullopt : all.text(column, position);
    return "sample " + (id ? in_quotes(*id) + " " : "") + "(row " + std::to_string(position) + "): ";
  }

  std::shared_ptr<const Raster> open(const Input& input, int64_t position) const {
    if (input.ids.empty()) return open_raster(rows, position, options.fallback);
    const auto [frame, row] = locate_below(rows, position, input.ids);
    return open_raster(frame, row, options.fallback);
  }

  void learn_shapes() {
    for (int64_t position = 0;; ++position) {
      try {
        for (auto& input : inputs) {
          const auto raster = open(input, position);
          input.type = tensor_type(raster->info(), input.options);
          input.shape = tensor_shape(raster->info(), input.options);
        }
        return;
      } catch (const Error&) {
        if (options.on_error == OnError::Throw || position + 1 == rows.num_rows()) rethrow_naming(name_of(position));
      }
    }
  }

  void read_sample(int64_t position, std::size_t slot, std::vector<Tensor>& tensors) const {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const Input& input = inputs[i];
      const auto raster = open(input, position);
      const auto type = tensor_type(raster->info(), input.options);
      const auto shape = tensor_shape(raster->info(), input.options);
      if (type != input.type || shape != input.shape) {
        throw SchemaError("gives " + shape_text(type, shape) + "; " + shape_text(input.type, input.shape) +
                              " expected, as of the other samples",
                          {.path = raster->name()});
      }
      const std::size_t size = input.sample_size();
      read_tensor(*raster, input.options, tensors[i].bytes().subspan(slot * size, size));
    }
  }

  void make_sample(Making& made, std::size_t slot) const {
    const int64_t position = made.batch.positions[slot];
    try {
      try {
        read_sample(position, slot, made.batch.tensors);
      } catch (const Error&) {
        rethrow_naming(name_of(position));
      }
    } catch (const Error& error) {
      if (options.on_error == OnError::Skip) {
        made.faults[slot] = error.what();
      } else {
        made.errors[slot] = std::current_exception();
      }
    } catch (...) {
      made.errors[slot] = std::current_exception();
    }
  }

  /// The tensors for the next batch, reused from a batch that was given back where the shape fits.
  std::vector<Tensor> take_tensors(std::size_t num_samples) {
    std::vector<Tensor> out(inputs.size());
    if (!spare.empty()) {
      spare.back().resize(inputs.size());
      out.swap(spare.back());
      spare.pop_back();
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const bool fits = out[i].type() == inputs[i].type && out[i].shape().size() == inputs[i].shape.size() + 1 &&
                        out[i].shape()[0] == static_cast<int64_t>(num_samples) &&
                        std::equal(inputs[i].shape.begin(), inputs[i].shape.end(), out[i].shape().begin() + 1);
      if (!fits) out[i] = batch_tensor(inputs[i], num_samples);
    }
    return out;
  }

  void begin_batch() {
    const auto part = plan.batch(num_taken + static_cast<int64_t>(making.size()));
    auto next = std::make_unique<Making>();
    next->errors.resize(static_cast<std::size_t>(part.count));
    next->faults.resize(next->size());
    next->batch.next_start = part.next_start;
    try {
      for (int64_t i = part.begin; i < part.begin + part.count; ++i)
        next->batch.positions.push_back(order ? (*order)(i) : i);
      next->batch.tensors = take_tensors(next->size());
    } catch (...) {  // out of memory: reported by next(), not by this thread
      next->errors[0] = std::current_exception();
      next->num_begun = next->num_done = next->size();
    }
    making.push_back(std::move(next));
  }

  /// Reads the next batch in this thread.
  void make_batch() {
    begin_batch();
    Making& batch = *making.back();
    for (; batch.num_begun < batch.size(); ++batch.num_begun) make_sample(batch, batch.num_begun);
    batch.num_done = batch.size();
  }

  /// A batch with samples that no thread reads yet, begun if needed; nullptr when none may be begun.
  Making* work() {
    const bool is_open = !making.empty() && making.back()->num_begun < making.back()->size();
    const auto num_making = static_cast<int64_t>(making.size());
    if (!is_open) {
      if (num_making >= options.prefetch || num_taken + num_making >= plan.num_batches()) return nullptr;
      begin_batch();
    }
    return making.back().get();
  }

  void run() {
    const WorkerInterruption interruption({}, is_stopped);  // not of one next(): the batch may be for a later one
    std::unique_lock lock(mutex);
    while (!is_stopped) {
      Making* batch = work();
      if (!batch) {
        work_is_there.wait(lock);
        continue;
      }
      if (batch->num_begun < batch->size()) {
        const std::size_t slot = batch->num_begun++;
        lock.unlock();
        make_sample(*batch, slot);
        lock.lock();
        ++batch->num_done;
      }
      if (batch->num_done == batch->size()) batch_is_made.notify_one();
    }
  }
};

Loader::Loader(const DataFrame& rows, const LoaderOptions& options) : impl_(std::make_unique<Impl>(rows, options)) {}
Loader::Loader(const Dataset& dataset, const LoaderOptions& options) : Loader(dataset.data(), options) {}
Loader::Loader(Loader&&) noexcept = default;

Loader::~Loader() {
  if (impl_ && impl_->is_forked()) (void)impl_.release();  // the parent's threads cannot be joined here
}

Loader& Loader::operator=(Loader&& other) noexcept {
  std::swap(impl_, other.impl_);
  return *this;
}

int64_t Loader::num_batches() const noexcept { return impl_->plan.num_batches(); }

bool Loader::next(Batch& batch) {
  if (impl_->is_forked()) {
    throw QueryError("this loader belongs to the parent process; a forked child makes a new one", {.path = {}});
  }
  impl_->start_threads();
  auto made = impl_->take(std::exchange(batch, {}).tensors);
  if (!made) return false;
  impl_->leave_out_failures(*made);
  batch = std::move(made->batch);
  return true;
}

}  // namespace tacore
