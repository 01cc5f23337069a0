#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tacore/dataset.hpp"
#include "tacore/raster/tensor.hpp"
#include "tacore/visibility.hpp"

namespace tacore {

/// One tensor of each batch: which FILE of a sample, and what of its pixels.
struct LoaderInput {
  std::string path = {};  ///< ids below the sample, joined by `/`; "": the sample itself
  TensorOptions tensor = {};
};

/// The treatment of a sample that cannot be read, lacks the child, or differs from the others in shape or type.
enum class OnError {
  Throw,  ///< Loader::next throws and names the sample
  Skip    ///< the batch has one sample less and names it in Batch::failures
};

struct LoaderOptions {
  std::vector<LoaderInput> inputs = {{}};
  int batch_size = 1;
  /// Shuffles by this number and `epoch`; without it samples come in the order of the rows.
  std::optional<uint64_t> seed = {};
  int64_t epoch = 0;
  /// How many samples of the global order are done with already, by all ranks together: Batch::next_start.
  int64_t start = 0;
  /// Leaves out the last step unless all ranks have a whole batch in it.
  bool drop_last = false;
  /// Repeats samples of the last step where it has fewer than ranks, which is an error otherwise.
  bool pad = false;
  int rank = 0;  ///< of `world_size` trainings side by side
  int world_size = 1;
  int shard = 0;  ///< of `num_shards` loaders that share the batches of one rank; each gives only its own
  int num_shards = 1;
  int jobs = 0;  ///< threads that read and decode; 0: one for each processor, more for a remote dataset
  /// Batches that are made ahead; 0: no threads, next() makes each batch in the thread that calls it.
  int prefetch = 2;
  OnError on_error = OnError::Throw;
  const RasterOpener* fallback = nullptr;  ///< as open_raster takes it; lives as long as the loader
};

/// A sample that was left out because of OnError::Skip.
struct BatchFailure {
  int64_t position = 0;  ///< row of the frame
  std::string message = {};
};

struct Batch {
  std::vector<Tensor> tensors = {};         ///< of each input, shape (samples, bands, height, width)
  std::vector<int64_t> positions = {};      ///< of each sample: row of the frame
  std::vector<BatchFailure> failures = {};  ///< only with OnError::Skip; then `positions` may even be empty
  int64_t next_start = 0;  ///< LoaderOptions::start of what follows, once all ranks are through this step
};

/// The batches of one epoch of training. Threads of the loader read, decode and convert each sample straight into its
/// place in a batch, at most `prefetch` batches ahead of the caller. One thread at a time may use a loader; several
/// loaders may share a frame.
///
///     Loader loader(load("chips.tacozip"), {.inputs = {{.path = "image"}, {.path = "mask"}}, .batch_size = 32, .seed =
///     7}); for (Batch batch; loader.next(batch);) train(batch.tensors[0], batch.tensors[1]);  // (32, bands, height,
///     width)
///
/// The global order of samples depends on the frame, `seed` and `epoch` alone. It is cut into steps of
/// batch_size * world_size samples, and a step into one batch for each rank: the shares of ranks 0, 1, ... of steps 0,
/// 1, ... one after another are the global order. Step k of a rank goes to its shard k % num_shards, so whoever takes
/// turns among shards has the order of the rank. No sample is lost and none comes twice, unless `drop_last` leaves out
/// the last step. A loader with `start` = Batch::next_start goes on behind that step with any batch_size, world_size
/// and num_shards.
///
/// Every rank has the same number of batches, as ranks that wait for each other need it, and none is empty. The last
/// step may be shorter; its samples are dealt out evenly, and the first ranks get one more. Where it would have fewer
/// samples than there are ranks, the step before gives it some. Where that cannot be (batches of one sample, or fewer
/// samples than ranks in all), the constructor throws, unless `drop_last` or `pad` says what becomes of that step.
///
/// The shape and type of an input are those of the first row that can be opened, where TensorOptions do not say them.
class TACORE_EXPORT Loader {
 public:
  /// Opens the first row, and starts no thread yet. Throws QueryError for options that make no sense or leave ranks
  /// without a batch, and what opening the first row throws.
  Loader(const DataFrame& rows, const LoaderOptions& options);
  /// Over Dataset::data().
  Loader(const Dataset& dataset, const LoaderOptions& options);
  /// Waits for the samples that are being read, not for their batches.
  ~Loader();
  Loader(Loader&& other) noexcept;
  Loader& operator=(Loader&& other) noexcept;

  /// Batches of this rank and shard, from `start` to the end.
  int64_t num_batches() const noexcept;

  /// The next batch, false at the end. What `batch` holds is overwritten: its tensors become those of a later batch,
  /// so that passing the same one each time keeps memory as it is. Throws what reading a sample threw, with the sample
  /// in front of the message; then again at each call, since what would follow lacks that batch. A child that was
  /// forked after the first call gets a QueryError: threads do not go along; it makes a loader of its own, from a
  /// dataset that it loads.
  bool next(Batch& batch);

 private:
  struct TACORE_HIDDEN Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace tacore
