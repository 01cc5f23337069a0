#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tacore/dataset.hpp"
#include "tacore/plan.hpp"
#include "tacore/raster/tensor.hpp"
#include "tacore/task.hpp"
#include "tacore/visibility.hpp"

namespace tacore {

/// One tensor of each batch: the FILE of each sample that it is read from, and the bands, window, type and scale to
/// read.
struct LoaderInput {
  std::string path = {};  ///< path of ids below the sample, such as "image"; "": the sample itself
  TensorOptions tensor = {};
};

/// Options of Loader: inputs, batches, order of the samples, and distributed training.
struct LoaderOptions {
  std::vector<LoaderInput> inputs = {{}};
  int batch_size = 1;
  /// Seed that shuffles the samples, together with `epoch`; without it they are in the order of the rows.
  std::optional<uint64_t> seed = {};
  int64_t epoch = 0;
  /// Number of neighbours that are shuffled as one block, and read from a server with one request; 0: each sample by
  /// itself.
  int64_t shuffle_block = 0;
  int64_t shuffle_window = 16;  ///< number of shuffled blocks whose samples are mixed, at least 1
  /// Number of samples of the global order to skip, counted over all ranks: Batch::next_start of the last batch that
  /// was used.
  int64_t start = 0;
  /// Leave out the last step unless all ranks have a full batch in it.
  bool drop_last = false;
  /// Repeat samples in the last step when it has fewer samples than ranks, which is an error otherwise.
  bool pad = false;
  int rank = 0;  ///< number of this process in distributed training, from 0 to `world_size` - 1
  int world_size = 1;
  int shard = 0;  ///< number of this loader among the `num_shards` that share the batches of one rank
  int num_shards = 1;
  /// Number of threads that read and decode; 0: one for each processor, more for a remote dataset.
  int jobs = 0;
  /// Number of batches that are prepared ahead; 0: no threads, next() reads each batch in the calling thread.
  int prefetch = 2;
  /// What happens to a sample that cannot be read, lacks the child, or differs from the others in shape or type.
  OnError on_error = OnError::Throw;
  /// Opens rasters that tacore does not decode, as in open_raster(). Not owned: it must outlive the loader.
  const RasterOpener* fallback = nullptr;
};

/// A sample that OnError::Skip left out.
struct BatchFailure {
  int64_t position = 0;  ///< row of the frame
  std::string message = {};
};

/// One batch of samples: a tensor for each input, and the rows that the samples come from.
struct Batch {
  std::vector<Tensor> tensors = {};     ///< one for each input, shape (samples, bands, height, width)
  std::vector<int64_t> positions = {};  ///< row in the DataFrame of each sample
  /// The samples that OnError::Skip left out; then `positions` may even be empty.
  std::vector<BatchFailure> failures = {};
  /// LoaderOptions::start to continue after this step, once all ranks have finished it.
  int64_t next_start = 0;
};

/// A batch of one rank and shard: samples [begin, begin + count) of the global order (see Loader).
struct BatchRange {
  int64_t begin = 0;
  int64_t count = 0;
  int64_t next_start = 0;  ///< as in Batch

  bool operator==(const BatchRange&) const = default;
};

/// The batches of a rank and shard, as the Loader of these options divides `num_samples` samples of any order. For
/// loaders with an order or a source of their own; only the options of batches, ranks and shards are used. Throws
/// QueryError as Loader does.
///
///     const auto batches = plan_batches({.batch_size = 32, .rank = 1, .world_size = 2}, order.size());
TACORE_EXPORT std::vector<BatchRange> plan_batches(const LoaderOptions& options, int64_t num_samples);

/// Reads the samples of a dataset as batches of tensors, for one epoch of training. Its threads read, decode and
/// convert each sample directly into its place in a batch, at most `prefetch` batches ahead of the caller. One thread
/// at a time may use a loader; several loaders may share a DataFrame.
///
///     Loader loader(load("chips.tacozip"), {.inputs = {{"image"}, {"mask"}}, .batch_size = 32, .seed = 7});
///     for (Batch batch; loader.next(batch);) train(batch.tensors[0], batch.tensors[1]);  // (32, bands, height, width)
///
/// The global order of samples depends on the DataFrame, `seed` and `epoch` only. It is divided into steps of
/// batch_size * world_size samples, and each step into one batch for each rank: the batches of ranks 0, 1, ... of steps
/// 0, 1, ... in sequence are the global order. Step k of a rank belongs to its shard k % num_shards, so that reading
/// the shards in turn gives the order of the rank. No sample is lost or repeated, unless `drop_last` leaves out or
/// `pad` fills the last step. A loader with `start` = Batch::next_start continues after that step, with any batch_size,
/// world_size and num_shards.
///
/// With `shuffle_block`, runs of so many samples that lie side by side in their files are shuffled, and each
/// `shuffle_window` of them, in their new order, are mixed (the first windows of an epoch are of 4, 8, ...): a sample
/// shares a batch of n samples with about (n - 1) / shuffle_window neighbours of its block (fewer than one in n of a
/// shuffle of single samples). From a server, the samples of a block are read with one request, up to 1.25 windows
/// ahead, which are in memory as they are stored. A rank or shard requests its own samples of a block, which are all of
/// them when there is one rank and shard.
///
/// Every rank has the same number of batches, as ranks that synchronise need it, and none is empty. The last step may
/// be shorter; its samples are distributed evenly, and the first ranks get one more. When it would have fewer samples
/// than there are ranks, the step before gives it some. Where that is impossible (batches of one sample, or fewer
/// samples than ranks in all), the constructor throws, unless `drop_last` or `pad` is set.
///
/// The shape and type of an input are those of the first row that can be opened, unless TensorOptions set them.
class TACORE_EXPORT Loader {
 public:
  /// A loader over these rows. Opens the first row, and starts no thread yet. Throws QueryError for invalid options and
  /// options that leave ranks without a batch, and what opening the first row throws.
  Loader(const DataFrame& rows, const LoaderOptions& options);
  /// A loader over the rows of Dataset::data().
  Loader(const Dataset& dataset, const LoaderOptions& options);
  /// Waits for the samples that are being read, not for their batches.
  ~Loader();
  Loader(Loader&& other) noexcept;
  Loader& operator=(Loader&& other) noexcept;

  /// The requests of an epoch of such a loader over a remote dataset: of its construction, and of all batches of this
  /// rank and shard. The function reads the first sample and the addresses of all samples. Where samples are not
  /// requested together (those of more than 4 MiB, windows, bands, files of a FOLDER), each counts as the first one.
  /// Throws as Loader.
  ///
  ///     const RequestPlan epoch = Loader::plan(dataset.data(), {.batch_size = 32, .seed = 1});
  static RequestPlan plan(const DataFrame& rows, const LoaderOptions& options);

  /// The number of batches of this rank and shard, from `start` to the end.
  int64_t num_batches() const noexcept;

  /// Moves the next batch into `batch`; false at the end. The memory of the old content is reused for later batches, so
  /// pass the same object each time. Throws what reading a sample threw, with the id of the sample before the message,
  /// and throws it again at each further call. In a child process that was forked after the first call it throws
  /// QueryError, since threads are not inherited: the child must load the dataset and create its own loader.
  bool next(Batch& batch);

 private:
  struct TACORE_HIDDEN Impl;
  std::unique_ptr<Impl> impl_;
};

/// Type and shape of the tensor of one sample.
struct TensorKind {
  DataType type = DataType::UInt8;
  std::vector<int64_t> shape = {};

  bool operator==(const TensorKind&) const = default;
};

/// Reads batches of samples that the caller chooses, for samplers of other libraries. Safe from several threads, and in
/// processes forked between two calls.
///
///     const BatchReader reader(load("chips.tacozip").data(), {{"image"}});
///     const auto& [type, shape] = reader.kinds()[0];
///     Tensor images(type, {2, shape[0], shape[1], shape[2]});
///     reader.read(std::vector<int64_t>{7, 3}, std::vector{images.bytes()});
class TACORE_EXPORT BatchReader {
 public:
  /// Opens the first row, whose shapes and types the samples must have. `jobs` is the number of threads of a call; 0:
  /// one for each processor that `num_processes` equal processes leave this one, more for a remote dataset. `fallback`
  /// as in LoaderOptions. Throws QueryError if `inputs` is empty, and what opening the row throws.
  BatchReader(const DataFrame& rows, const std::vector<LoaderInput>& inputs, int jobs = 0, int num_processes = 1,
              const RasterOpener* fallback = nullptr);
  ~BatchReader();
  BatchReader(BatchReader&& other) noexcept;
  BatchReader& operator=(BatchReader&& other) noexcept;

  /// The type and shape of the tensor of each input.
  const std::vector<TensorKind>& kinds() const noexcept;

  /// Reads these rows, in this order, into memory of the caller: for each input exactly the bytes of the samples, one
  /// after the other. The samples of a remote dataset are requested together, as Loader does. Throws QueryError for
  /// memory of another size, NavigationError for rows that do not exist, SchemaError for a sample of another shape or
  /// type, and what reading throws; then the content of `out` is not specified.
  void read(std::span<const int64_t> positions, std::span<const std::span<std::byte>> out) const;

 private:
  struct TACORE_HIDDEN Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tacore
