#include "tacore/raster/loader.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <exception>
#include <mutex>
#include <set>
#include <system_error>
#include <thread>
#include <utility>

#include "base/interrupt.hpp"
#include "base/text.hpp"
#include "base/threads.hpp"
#include "container/zip_samples.hpp"
#include "dataset/dataframe_impl.hpp"
#include "dataset/navigation.hpp"
#include "format/names.hpp"
#include "io/coalesce.hpp"
#include "io/memory_source.hpp"
#include "io/vsi_path.hpp"
#include "net/http_requests.hpp"
#include "raster/about_sample.hpp"
#include "raster/batch_plan.hpp"
#include "raster/permutation.hpp"
#include "raster/row_source.hpp"
#include "raster/tiff_raster.hpp"
#include "tacore/error.hpp"

namespace tacore {
namespace {

/// Threads that read remote samples: most of the time each waits for its one request.
constexpr int kRemoteThreads = 32;

/// Samples of a remote dataset are requested together: about so many bytes, which arrive in few round trips, of samples
/// of at most so many bytes each; larger ones are read by the tiles that are needed.
constexpr uint64_t kFetchSize = 2 << 20, kMostFetched = 4 << 20;
/// A server answers at most so many ranges with one response (see HttpFile).
constexpr std::size_t kMostRanges = 100;

/// An input of the loader, and what all of its samples have in common.
struct Input {
  std::vector<std::string> ids;  ///< the path from the sample to the FILE
  TensorOptions options;
  DataType type = DataType::UInt8;
  std::vector<int64_t> shape = {};  ///< of a sample
  bool is_fetched = false;          ///< the bytes of its samples are requested together

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
  std::vector<std::vector<RowSource>> fetched =
      {};                                  ///< of each sample: the bytes of its inputs, where they are fetched
  std::vector<std::size_t> to_fetch = {};  ///< samples whose bytes have to be requested, the next one last
  std::vector<std::size_t> ready = {};     ///< samples to be decoded, the next one last
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

  /// The cost of the batches that follow, which are not read. For one thread, in place of take().
  RequestPlan plan_batches_left() {
    const ReadCost start = net::requests_so_far();
    ReadCost planned;
    std::set<std::string> files;
    for (; num_taken < plan.num_batches(); ++num_taken) {
      begin_batch();
      Making& batch = *making.back();
      while (!batch.to_fetch.empty()) {
        const auto slots = take_to_fetch(batch);
        std::vector<std::shared_ptr<const ByteSource>> sources;
        for (auto& source : sources_of(batch, slots)) sources.push_back(source.second.bytes);
        planned += cost_of_samples(sources);
        for (const auto& source : sources) files.insert(source->name());
      }
      making.clear();
    }
    const ReadCost now = net::requests_so_far();
    planned += {now.requests - start.requests, now.bytes - start.bytes};  // the addresses of the samples
    return {planned.requests, planned.bytes, static_cast<int64_t>(files.size())};
  }

  /// The cost of reading the sample at `position` where it is not fetched, which is measured.
  ReadCost measure_sample(int64_t position) {
    const ReadCost start = net::requests_so_far();
    for (const Input& input : inputs) {
      if (!input.is_fetched) read_tensor(*open(input, position), input.options);
    }
    const ReadCost now = net::requests_so_far();
    return {now.requests - start.requests, now.bytes - start.bytes};
  }

  const DataFrame rows;
  const LoaderOptions options;
  const BatchPlan plan;
  const std::optional<Permutation> order;
  std::vector<Input> inputs;  ///< fixed after the constructor
  uint64_t fetch_count = 0;   ///< samples that are requested together; 0: each sample is read by itself

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

  RowSource source_of(const Input& input, int64_t position) const {
    if (input.ids.empty()) return open_row(rows, position);
    const auto [frame, row] = locate_below(rows, position, input.ids);
    return open_row(frame, row);
  }

  std::shared_ptr<const Raster> open(const Input& input, int64_t position) const {
    return again_if_moved([&] { return open_raster(source_of(input, position), options.fallback); });
  }

  void learn_shapes() {
    for (int64_t position = 0;; ++position) {
      try {
        uint64_t size = 1;
        std::size_t num_fetched = 0;
        for (auto& input : inputs) {
          const uint64_t fetched = again_if_moved([&] { return learn_shape(input, source_of(input, position)); });
          size += fetched;
          num_fetched += input.is_fetched ? 1 : 0;
        }
        if (num_fetched > 0) fetch_count = std::clamp<uint64_t>(kFetchSize / size, 1, kMostRanges / num_fetched);
        return;
      } catch (const Error&) {
        if (options.on_error == OnError::Throw || position + 1 == rows.num_rows()) rethrow_naming(name_of(position));
      }
    }
  }

  /// Takes the shape of an input from a sample, and decides whether its samples are fetched: those of a remote dataset
  /// that lie in a larger file, and are needed whole or are so small that a second request would take longer. Returns
  /// the bytes to be fetched of the sample.
  uint64_t learn_shape(Input& input, const RowSource& source) const {
    const auto raster = open_raster(source, options.fallback);
    input.type = tensor_type(raster->info(), input.options);
    input.shape = tensor_shape(raster->info(), input.options);
    const bool is_whole = input.options.bands.empty() && !input.options.window;
    const uint64_t most = is_whole ? kMostFetched : kRemoteCoalesceGap;
    input.is_fetched = !source.container->is_local() && source.address.offset && source.bytes->size() <= most &&
                       is_tiff_raster(*raster);
    return input.is_fetched ? source.bytes->size() : 0;
  }

  /// What is fetched of these samples, by sample and input. Samples that cannot be found are left out.
  std::vector<std::pair<std::pair<std::size_t, std::size_t>, RowSource>> sources_of(
      const Making& made, std::span<const std::size_t> slots) const {
    std::vector<std::pair<std::pair<std::size_t, std::size_t>, RowSource>> out;
    for (const std::size_t slot : slots) {
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (!inputs[i].is_fetched) continue;
        try {
          RowSource source = source_of(inputs[i], made.batch.positions[slot]);
          if (source.bytes->size() <= kMostFetched) out.emplace_back(std::pair(slot, i), std::move(source));
        } catch (const Error&) {}
      }
    }
    return out;
  }

  /// Requests the bytes of these samples together. What cannot be found or read is left to make_sample(), whose error
  /// names the sample.
  void fetch(Making& made, std::span<const std::size_t> slots) const {
    try {
      std::vector<std::shared_ptr<const ByteSource>> files;
      auto wanted = sources_of(made, slots);
      for (const auto& [place, source] : wanted) files.push_back(source.bytes);
      auto all = read_samples(files);
      for (const std::size_t slot : slots) made.fetched[slot].resize(inputs.size());
      for (std::size_t i = 0; i < all.size(); ++i) {
        auto& [place, source] = wanted[i];
        source.bytes = memory_source(files[i]->name(), std::move(all[i]));
        made.fetched[place.first][place.second] = std::move(source);
      }
    } catch (...) {
      for (const std::size_t slot : slots) made.fetched[slot].clear();
    }
  }

  void read_sample(int64_t position, std::span<const RowSource> fetched, std::size_t slot,
                   std::vector<Tensor>& tensors) const {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const Input& input = inputs[i];
      const bool is_here = !fetched.empty() && fetched[i].bytes;
      const auto raster = is_here ? open_raster(fetched[i], options.fallback) : open(input, position);
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
        read_sample(position, made.fetched[slot], slot, made.batch.tensors);
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
    made.fetched[slot].clear();
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
    next->fetched.resize(next->size());
    next->batch.next_start = part.next_start;
    try {
      for (int64_t i = part.begin; i < part.begin + part.count; ++i)
        next->batch.positions.push_back(order ? (*order)(i) : i);
      next->batch.tensors = take_tensors(next->size());
      auto& slots = fetch_count > 0 ? next->to_fetch : next->ready;
      for (std::size_t slot = next->size(); slot-- > 0;) slots.push_back(slot);
      // Neighbours in the file are requested together.
      const auto& positions = next->batch.positions;
      std::ranges::sort(next->to_fetch, [&](auto a, auto b) { return positions[a] > positions[b]; });
    } catch (...) {  // out of memory: reported by next(), not by this thread
      next->errors[0] = std::current_exception();
      next->ready.clear();
      next->to_fetch.clear();
      next->num_done = next->size();
    }
    making.push_back(std::move(next));
  }

  /// The samples of the next request of a batch, which are then taken from it.
  std::vector<std::size_t> take_to_fetch(Making& batch) const {
    const auto count = std::min(batch.to_fetch.size(), static_cast<std::size_t>(fetch_count));
    const std::vector<std::size_t> out(batch.to_fetch.end() - static_cast<std::ptrdiff_t>(count), batch.to_fetch.end());
    batch.to_fetch.resize(batch.to_fetch.size() - count);
    return out;
  }

  static std::size_t take_ready(Making& batch) {
    const std::size_t out = batch.ready.back();
    batch.ready.pop_back();
    return out;
  }

  /// Reads the next batch in this thread.
  void make_batch() {
    begin_batch();
    Making& batch = *making.back();
    while (!batch.to_fetch.empty()) {
      const auto slots = take_to_fetch(batch);
      fetch(batch, slots);
      for (const std::size_t slot : slots) make_sample(batch, slot);
    }
    while (!batch.ready.empty()) make_sample(batch, take_ready(batch));
    batch.num_done = batch.size();
  }

  /// The first batch with work for a thread, begun if needed; nullptr when none may be begun.
  Making* work() {
    for (const auto& batch : making) {
      if (!batch->ready.empty()) return batch.get();
    }
    for (const auto& batch : making) {
      if (!batch->to_fetch.empty()) return batch.get();
    }
    const auto num_making = static_cast<int64_t>(making.size());
    if (num_making >= options.prefetch || num_taken + num_making >= plan.num_batches()) return nullptr;
    begin_batch();
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
      if (!batch->ready.empty()) {
        const std::size_t slot = take_ready(*batch);
        lock.unlock();
        make_sample(*batch, slot);
        lock.lock();
        ++batch->num_done;
      } else if (!batch->to_fetch.empty()) {
        auto slots = take_to_fetch(*batch);
        lock.unlock();
        fetch(*batch, slots);
        lock.lock();
        batch->ready.insert(batch->ready.begin(), slots.begin(), slots.end());
        work_is_there.notify_all();
      }
      if (batch->num_done == batch->size()) batch_is_made.notify_one();
    }
  }
};

RequestPlan Loader::plan(const DataFrame& rows, const LoaderOptions& options) {
  const ReadCost start = net::requests_so_far();
  Impl loader(rows, options);
  const ReadCost opened = net::requests_so_far();
  RequestPlan out = loader.plan_batches_left();
  out.requests += opened.requests - start.requests;
  out.bytes += opened.bytes - start.bytes;
  const bool is_measured = std::ranges::any_of(loader.inputs, [](const Input& input) { return !input.is_fetched; });
  if (loader.plan.num_batches() == 0) return out;
  out.partitions = std::max<int64_t>(out.partitions, 1);
  if (!is_remote(impl_of(rows)->dataset->leaf(0)->path()) || !is_measured) return out;
  const ReadCost each = loader.measure_sample(0);
  int64_t count = 0;
  for (int64_t i = 0; i < loader.plan.num_batches(); ++i) count += loader.plan.batch(i).count;
  out.requests += each.requests * count;
  out.bytes += each.bytes * static_cast<uint64_t>(count);
  out.partitions = std::max<int64_t>(out.partitions, impl_of(rows)->dataset->view().num_leaves);
  return out;
}

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
