#include "tacore/raster/loader.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <numeric>
#include <set>
#include <system_error>
#include <thread>
#include <utility>

#include "base/interrupt.hpp"
#include "base/threads.hpp"
#include "container/zip_samples.hpp"
#include "dataset/dataframe_impl.hpp"
#include "net/http_requests.hpp"
#include "raster/batch_plan.hpp"
#include "raster/sample_order.hpp"
#include "raster/sample_reader.hpp"
#include "tacore/error.hpp"

namespace tacore {
namespace {

using Positions = std::vector<int64_t>;

/// Bytes of blocks that are requested at the same time: what arrives is in memory twice for a moment.
constexpr uint64_t kMostArriving = 64 << 20;

/// The rows in the order of their bytes, where blocks of neighbours are shuffled; empty: that is their own order.
std::vector<int64_t> rows_by_place(const DataFrame& frame, const LoaderOptions& options) {
  if (options.shuffle_block == 0) return {};
  const Rows& rows = *impl_of(frame)->rows;
  bool is_sorted = true;
  int64_t before = -1;
  for (int64_t row = 0; row < rows.num_rows(); ++row) {
    const auto key = rows.key(row);
    if (!key) return {};  // rows that lost their place stay as they are
    is_sorted = is_sorted && key->encode() >= before;
    before = key->encode();
  }
  if (is_sorted) return {};
  std::vector<int64_t> out(static_cast<std::size_t>(rows.num_rows()));
  std::iota(out.begin(), out.end(), int64_t{0});
  std::ranges::stable_sort(out, {}, [&](int64_t row) { return rows.key(row)->encode(); });
  return out;
}

/// A batch that is being filled. Its threads write to different samples of it.
struct Making {
  Batch batch = {};
  std::vector<std::exception_ptr> errors = {};      ///< of each sample: the error that next() throws
  std::vector<std::string> faults = {};             ///< of each sample: why it is left out
  std::vector<SampleReader::Fetched> fetched = {};  ///< of each sample: the bytes of its inputs, where they are fetched
  std::vector<std::size_t> to_fetch = {};           ///< samples whose bytes have to be requested, the next one last
  std::vector<std::size_t> ready = {};              ///< samples to be decoded, the next one last
  std::size_t num_done = 0;

  std::size_t size() const { return errors.size(); }
};

/// Samples of a block that this loader reads, and of which some are not decoded yet.
struct Block {
  std::vector<int64_t> rows = {};
  std::size_t num_left = 0;  ///< rows that no batch has taken yet
  bool is_here = false;
  std::map<int64_t, SampleReader::Fetched> fetched = {};      ///< by row, until a batch takes it
  std::vector<std::pair<Making*, std::size_t>> waiting = {};  ///< samples of batches that wait for it
};

}  // namespace

struct Loader::Impl {
  Impl(const DataFrame& frame, const LoaderOptions& given)
      : rows(frame),
        options(given),
        plan(given, frame.num_rows()),
        order(given, frame.num_rows(), rows_by_place(frame, given)),
        reader(frame, given.inputs, given.fallback) {
    if (options.jobs < 0) throw QueryError("jobs is " + std::to_string(options.jobs) + ", 0 or more expected");
    if (options.prefetch < 0)
      throw QueryError("prefetch is " + std::to_string(options.prefetch) + ", 0 or more expected");
    if (plan.num_batches() > 0) reader.learn_shapes(options.on_error);
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
    const bool waits = options.jobs == 0 && reader.is_remote();
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
    if (options.prefetch == 0 && making.empty()) make_batch(lock);
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
    for (std::size_t i = 0; i < reader.inputs().size(); ++i) {
      Tensor rest = batch_tensor(reader.inputs()[i], kept.size());
      const std::size_t size = reader.inputs()[i].sample_size();
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
    const auto add = [&](std::span<const int64_t> positions) {
      const auto sources = reader.sources(positions);
      planned += cost_of_samples(sources);
      for (const auto& source : sources) files.insert(source->name());
    };
    while (uses_blocks() && num_planned < plan.num_batches()) {
      plan_window();
      for (const auto& [number, block] : blocks) add(block.rows);
      blocks.clear();
      to_request.clear();
    }
    for (; !uses_blocks() && reader.fetch_count() > 0 && num_taken < plan.num_batches(); ++num_taken) {
      auto positions = positions_of(plan.batch(num_taken));
      std::ranges::sort(positions);
      for (std::span<const int64_t> left = positions; !left.empty();) {
        const auto count = std::min(left.size(), reader.fetch_count());
        add(left.first(count));
        left = left.subspan(count);
      }
    }
    const ReadCost now = net::requests_so_far();
    planned += {now.requests - start.requests, now.bytes - start.bytes};  // the addresses of the samples
    return {planned.requests, planned.bytes, static_cast<int64_t>(files.size())};
  }

  /// The cost of reading the sample at `position` where it is not fetched, which is measured.
  ReadCost measure_sample(int64_t position) const {
    const ReadCost start = net::requests_so_far();
    reader.read_unfetched(position);
    const ReadCost now = net::requests_so_far();
    return {now.requests - start.requests, now.bytes - start.bytes};
  }

  const DataFrame rows;
  const LoaderOptions options;
  const BatchPlan plan;
  const SampleOrder order;
  SampleReader reader;

  std::mutex mutex;
  std::condition_variable work_is_there, batch_is_made;
  std::deque<std::unique_ptr<Making>> making;  ///< begun and not yet returned, in order
  std::vector<std::vector<Tensor>> spare;      ///< tensors of batches that were given back, for reuse
  int64_t num_taken = 0;
  std::atomic<bool> is_stopped = false;
  std::vector<std::thread> threads;
  pid_t owner = 0;  ///< the process that owns the threads

  // Where blocks are requested: those of the windows that are planned, which are at most one more than those of the
  // batches that were begun.
  std::map<int64_t, Block> blocks;  ///< by number in the order
  std::deque<int64_t> to_request;   ///< numbers of blocks, the one that is needed first at the front
  int64_t num_planned = 0;          ///< batches whose samples are all in planned windows
  int64_t planned_end = 0;          ///< end of the planned windows
  std::size_t window_share = 0;     ///< samples of the latest window that this loader reads
  std::size_t num_held = 0;         ///< samples that are requested, or here, and not decoded
  std::size_t num_arriving = 0;     ///< samples that are requested and not here

 private:
  bool uses_blocks() const { return order.has_blocks() && reader.fetch_count() > 0; }

  static Tensor batch_tensor(const SampleReader::Input& input, std::size_t num_samples) {
    std::vector<int64_t> shape = input.shape;
    shape.insert(shape.begin(), static_cast<int64_t>(num_samples));
    return Tensor(input.type, std::move(shape));
  }

  Positions positions_of(const BatchRange& part) const {
    Positions out;
    for (int64_t place = part.begin; place < part.begin + part.count; ++place) out.push_back(order.row(place));
    return out;
  }

  /// Requests the bytes of these samples together.
  void fetch(Making& made, std::span<const std::size_t> slots) const {
    Positions positions;
    for (const std::size_t slot : slots) positions.push_back(made.batch.positions[slot]);
    auto fetched = reader.fetch(positions);
    for (std::size_t i = 0; i < slots.size(); ++i) made.fetched[slots[i]] = std::move(fetched[i]);
  }

  void make_sample(Making& made, std::size_t slot) const {
    try {
      std::vector<std::span<std::byte>> places;
      for (std::size_t i = 0; i < reader.inputs().size(); ++i) {
        const std::size_t size = reader.inputs()[i].sample_size();
        places.push_back(made.batch.tensors[i].bytes().subspan(slot * size, size));
      }
      reader.read(made.batch.positions[slot], made.fetched[slot], places);
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
    const auto& inputs = reader.inputs();
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
    const int64_t number = num_taken + static_cast<int64_t>(making.size());
    const auto part = plan.batch(number);
    auto next = std::make_unique<Making>();
    next->errors.resize(static_cast<std::size_t>(part.count));
    next->faults.resize(next->size());
    next->fetched.resize(next->size());
    next->batch.next_start = part.next_start;
    try {
      next->batch.positions = positions_of(part);
      next->batch.tensors = take_tensors(next->size());
      if (uses_blocks()) {
        while (num_planned <= number) plan_window();
        for (std::size_t slot = 0; slot < next->size(); ++slot)
          take_of_block(order.block(part.begin + static_cast<int64_t>(slot)), *next, slot);
      } else {
        auto& slots = reader.fetch_count() > 0 ? next->to_fetch : next->ready;
        for (std::size_t slot = next->size(); slot-- > 0;) slots.push_back(slot);
        // Neighbours in the file are requested together.
        const auto& positions = next->batch.positions;
        std::ranges::sort(next->to_fetch, [&](auto a, auto b) { return positions[a] > positions[b]; });
      }
    } catch (...) {  // out of memory: reported by next(), not by this thread
      for (auto& [at, block] : blocks)
        std::erase_if(block.waiting, [&](const auto& sample) { return sample.first == next.get(); });
      next->errors[0] = std::current_exception();
      next->ready.clear();
      next->to_fetch.clear();
      next->num_done = next->size();
    }
    making.push_back(std::move(next));
  }

  // Blocks.

  /// Plans the requests of the next window that has samples of this loader.
  void plan_window() {
    BatchRange part = plan.batch(num_planned);
    int64_t place = std::max(part.begin, planned_end);
    planned_end = order.window_end(place);
    window_share = 0;
    while (place < planned_end) {
      for (; place < std::min(part.begin + part.count, planned_end); ++place, ++window_share) {
        const int64_t number = order.block(place);
        Block& block = blocks[number];
        if (block.rows.empty()) to_request.push_back(number);
        block.rows.push_back(order.row(place));
        ++block.num_left;
      }
      if (place < part.begin + part.count || ++num_planned == plan.num_batches()) return;
      part = plan.batch(num_planned);
      place = part.begin;
    }
  }

  /// Takes the bytes of a sample out of its block, or lets the sample wait for them.
  void take_of_block(int64_t number, Making& made, std::size_t slot) {
    Block& block = blocks.at(number);
    if (!block.is_here) {
      block.waiting.emplace_back(&made, slot);
      return;
    }
    made.fetched[slot] = std::move(block.fetched.at(made.batch.positions[slot]));
    made.ready.push_back(slot);
    if (--block.num_left == 0) blocks.erase(number);
  }

  /// Takes the number of a block to be requested now: one that a batch waits for, else the next where memory is left.
  std::optional<int64_t> take_block(bool is_needed) {
    if (!is_needed && to_request.empty() && num_planned < plan.num_batches()) plan_window();
    const auto found = std::ranges::find_if(to_request, [&](int64_t number) {
      const Block& block = blocks.at(number);
      if (num_arriving > 0 && (num_arriving + block.rows.size()) * reader.fetch_size() > kMostArriving) return false;
      return is_needed ? !block.waiting.empty() : num_held + block.rows.size() <= window_share + window_share / 4;
    });
    if (found == to_request.end()) return std::nullopt;
    const int64_t out = *found;
    to_request.erase(found);
    num_held += blocks.at(out).rows.size();
    num_arriving += blocks.at(out).rows.size();
    return out;
  }

  /// Requests a block, and gives its samples to the batches that wait for them.
  void fetch_block(int64_t number, std::unique_lock<std::mutex>& lock) {
    const Positions wanted = blocks.at(number).rows;
    lock.unlock();
    auto fetched = reader.fetch(wanted);
    lock.lock();
    Block& block = blocks.at(number);
    for (std::size_t i = 0; i < wanted.size(); ++i) block.fetched[wanted[i]] = std::move(fetched[i]);
    block.is_here = true;
    num_arriving -= wanted.size();
    for (const auto& [made, slot] : std::exchange(block.waiting, {})) take_of_block(number, *made, slot);
  }

  // What the threads do.

  /// The samples of the next request of a batch, which are then taken from it.
  std::vector<std::size_t> take_to_fetch(Making& batch) const {
    const auto count = std::min(batch.to_fetch.size(), reader.fetch_count());
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
  void make_batch(std::unique_lock<std::mutex>& lock) {
    begin_batch();
    Making& batch = *making.back();
    while (const auto block = take_block(true)) fetch_block(*block, lock);
    while (!batch.to_fetch.empty()) {
      const auto slots = take_to_fetch(batch);
      fetch(batch, slots);
      for (const std::size_t slot : slots) make_sample(batch, slot);
    }
    while (!batch.ready.empty()) make_sample(batch, take_ready(batch));
    batch.num_done = batch.size();
    if (uses_blocks()) num_held -= batch.size();
  }

  /// The first batch with samples in this list.
  Making* batch_with(std::vector<std::size_t> Making::*samples) const {
    const auto found = std::ranges::find_if(making, [&](const auto& batch) { return !((*batch).*samples).empty(); });
    return found == making.end() ? nullptr : found->get();
  }

  bool may_begin_batch() const {
    const auto num_making = static_cast<int64_t>(making.size());
    return num_making < options.prefetch && num_taken + num_making < plan.num_batches();
  }

  /// Does the most urgent work that there is; false when there is none.
  bool do_some(std::unique_lock<std::mutex>& lock) {
    if (Making* const batch = batch_with(&Making::ready)) {
      const std::size_t slot = take_ready(*batch);
      lock.unlock();
      make_sample(*batch, slot);
      lock.lock();
      if (uses_blocks()) --num_held;
      if (++batch->num_done == batch->size()) batch_is_made.notify_one();
    } else if (const auto needed = take_block(true)) {
      fetch_block(*needed, lock);
      work_is_there.notify_all();
    } else if (Making* const waiting = batch_with(&Making::to_fetch)) {
      auto slots = take_to_fetch(*waiting);
      lock.unlock();
      fetch(*waiting, slots);
      lock.lock();
      waiting->ready.insert(waiting->ready.begin(), slots.begin(), slots.end());
      work_is_there.notify_all();
    } else if (may_begin_batch()) {
      begin_batch();
      if (making.back()->num_done == making.back()->size()) batch_is_made.notify_one();
    } else if (const auto ahead = uses_blocks() ? take_block(false) : std::nullopt) {
      fetch_block(*ahead, lock);
      work_is_there.notify_all();  // a batch may have been begun meanwhile, and another block may be requested
    } else {
      return false;
    }
    return true;
  }

  void run() {
    const WorkerInterruption interruption({}, is_stopped);  // not of one next(): the batch may be for a later one
    std::unique_lock lock(mutex);
    while (!is_stopped) {
      if (!do_some(lock)) work_is_there.wait(lock);
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
  const bool is_measured =
      std::ranges::any_of(loader.reader.inputs(), [](const auto& input) { return !input.is_fetched; });
  if (loader.plan.num_batches() == 0) return out;
  out.partitions = std::max<int64_t>(out.partitions, 1);
  if (!loader.reader.is_remote() || !is_measured) return out;
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
