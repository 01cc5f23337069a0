#include "tacore/raster/loader.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "options.hpp"
#include "others.hpp"
#include "request_plan.hpp"
#include "tacore/error.hpp"
#include "tensor.hpp"
#include "text.hpp"

namespace tacore::python {
namespace {

using Inputs = std::vector<std::pair<std::string, TensorOptions>>;

class BatchLoader {
 public:
  BatchLoader(const DataFrame& rows, const LoaderOptions& options)
      : loader_(std::make_unique<Loader>(rows, options)),
        pool_(std::make_shared<TensorPool>(options.inputs.size(), static_cast<std::size_t>(options.prefetch) + 1)) {}
  ~BatchLoader() {
    const nb::gil_scoped_release release;  // the threads of the loader may need the GIL before they end
    loader_.reset();
  }
  BatchLoader(const BatchLoader&) = delete;
  BatchLoader& operator=(const BatchLoader&) = delete;

  int64_t num_batches() const noexcept { return loader_->num_batches(); }

  /// The next batch as (tensors, positions, failures, next_start); None at the end.
  nb::object next() {
    Batch batch;
    {
      const nb::gil_scoped_release release;
      if (is_busy_.exchange(true))
        throw QueryError("another thread is waiting for the next batch of this loader; one thread at a time expected");
      const Freed freed{is_busy_};
      batch.tensors = pool_->take();
      if (!loader_->next(batch)) return at_end();
    }
    nb::list tensors, positions, failures;
    for (std::size_t i = 0; i < batch.tensors.size(); ++i) {
      tensors.append(nb::cast(SharedTensor(std::move(batch.tensors[i]), pool_, i)));
    }
    for (const int64_t position : batch.positions) positions.append(position);
    for (const auto& failure : batch.failures) failures.append(nb::make_tuple(failure.position, text(failure.message)));
    return nb::make_tuple(tensors, positions, failures, batch.next_start);
  }

 private:
  struct Freed {
    std::atomic<bool>& flag;
    ~Freed() { flag = false; }
  };

  static nb::object at_end() {
    const nb::gil_scoped_acquire acquire;
    return nb::none();
  }

  std::unique_ptr<Loader> loader_;
  std::shared_ptr<TensorPool> pool_;
  std::atomic<bool> is_busy_ = false;
};

/// Memory of batches that are read in Python, reused when all views of a tensor are gone.
class BatchMemory {
 public:
  using Kinds = std::vector<std::pair<std::string, std::vector<int64_t>>>;  ///< type, and shape of a sample

  BatchMemory(const Kinds& kinds, std::size_t most) : pool_(std::make_shared<TensorPool>(kinds.size(), most)) {
    for (const auto& [type, shape] : kinds) kinds_.emplace_back(parse_data_type(type), shape);
  }

  /// A tensor of each kind for a number of samples.
  std::vector<SharedTensor> take(int64_t num_samples) const {
    auto kept = pool_->take();
    std::vector<SharedTensor> out;
    for (std::size_t i = 0; i < kinds_.size(); ++i) {
      auto [type, shape] = kinds_[i];
      shape.insert(shape.begin(), num_samples);
      out.emplace_back(kept[i].shape() == shape ? std::move(kept[i]) : Tensor(type, std::move(shape)), pool_, i);
    }
    return out;
  }

 private:
  std::vector<std::pair<DataType, std::vector<int64_t>>> kinds_;
  std::shared_ptr<TensorPool> pool_;
};

using Memory = nb::ndarray<nb::c_contig, nb::device::cpu>;

void make_reader(BatchReader* self, const DataFrame& rows, const Inputs& inputs, int jobs, int num_processes) {
  std::vector<LoaderInput> all;
  for (const auto& [path, tensor] : inputs) all.push_back({path, tensor});
  const nb::gil_scoped_release release;
  new (self) BatchReader(rows, all, jobs, num_processes, raster_opener());
}

/// Type and shape of a sample, for each input.
nb::list kinds_of(const BatchReader& self) {
  nb::list out;
  for (const auto& [type, shape] : self.kinds()) {
    nb::list lengths;
    for (const int64_t length : shape) lengths.append(length);
    out.append(nb::make_tuple(to_string(type), lengths));
  }
  return out;
}

void read_batch(const BatchReader& self, const std::vector<int64_t>& positions, const std::vector<Memory>& out) {
  std::vector<std::span<std::byte>> memory;
  for (const Memory& each : out) memory.emplace_back(static_cast<std::byte*>(each.data()), each.nbytes());
  const nb::gil_scoped_release release;
  self.read(positions, memory);
}

LoaderOptions options_of(const Inputs& inputs, int shard, int num_shards, const Keywords& given) {
  LoaderOptions options{.inputs = {}, .shard = shard, .num_shards = num_shards, .fallback = raster_opener()};
  fill(options, given);
  for (const auto& [path, tensor] : inputs) options.inputs.push_back({path, tensor});
  return options;
}

void make(BatchLoader* self, const DataFrame& rows, const Inputs& inputs, int shard, int num_shards,
          const Keywords& given) {
  const LoaderOptions options = options_of(inputs, shard, num_shards, given);
  const nb::gil_scoped_release release;
  new (self) BatchLoader(rows, options);
}

nb::tuple plan_requests(const DataFrame& rows, const Inputs& inputs, int shard, int num_shards, const Keywords& given) {
  const LoaderOptions options = options_of(inputs, shard, num_shards, given);
  return as_tuple([&] { return Loader::plan(rows, options); });
}

/// The batches of a loader with an order of its own, as (begin, count, next_start).
nb::list plan(int64_t num_samples, int shard, int num_shards, const Keywords& given) {
  LoaderOptions options{.shard = shard, .num_shards = num_shards};
  fill(options, given);
  nb::list out;
  for (const auto& [begin, count, next_start] : plan_batches(options, num_samples))
    out.append(nb::make_tuple(begin, count, next_start));
  return out;
}

}  // namespace

void bind_loader(nb::module_& m) {
  nb::class_<BatchLoader>(m, "BatchLoader")
      .def("__init__", &make, nb::arg("rows"), nb::arg("inputs"), nb::arg("shard"), nb::arg("num_shards"),
           nb::arg("options"))
      .def("num_batches", &BatchLoader::num_batches)
      .def("next", &BatchLoader::next,
           nb::sig("def next(self) -> tuple[list[Tensor], list[int], list[tuple[int, str]], int] | None"));
  m.def("plan_requests", &plan_requests, nb::arg("rows"), nb::arg("inputs"), nb::arg("shard"), nb::arg("num_shards"),
        nb::arg("options"),
        nb::sig(
            "def plan_requests(rows: DataFrame, inputs: Any, shard: int, num_shards: int, options: dict[str, Any]) -> "
            "tuple[int, int, int]"));
  nb::class_<BatchReader>(m, "BatchReader")
      .def("__init__", &make_reader, nb::arg("rows"), nb::arg("inputs"), nb::arg("jobs"), nb::arg("num_processes"))
      .def("kinds", &kinds_of, nb::sig("def kinds(self) -> list[tuple[str, list[int]]]"))
      .def("read", &read_batch, nb::arg("positions"), nb::arg("out"),
           nb::sig("def read(self, positions: Sequence[int], out: Sequence[object]) -> None"));
  nb::class_<BatchMemory>(m, "BatchMemory")
      .def(nb::init<const BatchMemory::Kinds&, std::size_t>(), nb::arg("kinds"), nb::arg("most"))
      .def("take", &BatchMemory::take, nb::arg("num_samples"));
  m.def("plan_batches", &plan, nb::arg("num_samples"), nb::arg("shard"), nb::arg("num_shards"), nb::arg("options"),
        nb::sig("def plan_batches(num_samples: int, shard: int, num_shards: int, options: dict[str, Any]) -> "
                "list[tuple[int, int, int]]"));
}

}  // namespace tacore::python
