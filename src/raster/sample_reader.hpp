#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "raster/row_source.hpp"
#include "tacore/raster/loader.hpp"

namespace tacore {

/// Threads that read remote samples: most of the time each waits for its one request.
inline constexpr int kRemoteThreads = 32;

/// Reads samples of a frame into their places in batches. Safe from several threads.
class SampleReader {
 public:
  /// An input, and what all of its samples have in common.
  struct Input {
    std::vector<std::string> ids;  ///< the path from the sample to the FILE
    TensorOptions options;
    DataType type = DataType::UInt8;
    std::vector<int64_t> shape = {};  ///< of a sample
    bool is_fetched = false;          ///< the bytes of its samples are requested together

    std::size_t sample_size() const;
  };
  /// The bytes of the inputs of a sample, where they are fetched; empty: they are not.
  using Fetched = std::vector<RowSource>;

  /// Throws QueryError without inputs. Nothing is read before learn_shapes(), which has to be called once.
  SampleReader(const DataFrame& rows, const std::vector<LoaderInput>& inputs, const RasterOpener* fallback);
  /// Takes shapes and types from the first row, with OnError::Skip from the first that can be opened. Throws what
  /// opening it throws.
  void learn_shapes(OnError on_error);

  const DataFrame& rows() const noexcept { return rows_; }
  const std::vector<Input>& inputs() const noexcept { return inputs_; }
  bool is_remote() const;
  /// Samples that are requested together, when neither their order nor the caller says how many; 0: each sample is
  /// read by itself.
  std::size_t fetch_count() const noexcept { return fetch_count_; }
  /// Bytes that are fetched of the first sample.
  uint64_t fetch_size() const noexcept { return fetch_size_; }

  /// Requests the bytes of these samples together. What cannot be found or read is left to read(), whose error names
  /// the sample.
  std::vector<Fetched> fetch(std::span<const int64_t> positions) const;
  /// The sources that fetch() requests.
  std::vector<std::shared_ptr<const ByteSource>> sources(std::span<const int64_t> positions) const;
  /// Reads a sample into `out`, which has memory of exactly Input::sample_size() for each input. Throws errors that
  /// name the sample, SchemaError where it differs in shape or type.
  void read(int64_t position, std::span<const RowSource> fetched, std::span<const std::span<std::byte>> out) const;
  /// Reads the inputs of a sample that are not fetched, to measure what that costs.
  void read_unfetched(int64_t position) const;

 private:
  /// The FILEs that are fetched of some samples.
  struct Wanted {
    std::vector<std::pair<std::size_t, std::size_t>> places = {};  ///< the number of the sample, and of the input
    std::vector<RowSource> rows = {};
  };

  std::string name_of(int64_t position) const;
  std::shared_ptr<const Raster> open(const Input& input, int64_t position) const;
  Wanted wanted(std::span<const int64_t> positions) const;
  uint64_t learn_shape(Input& input, const RowSource& source) const;

  const DataFrame rows_;
  const RasterOpener* fallback_;
  std::vector<Input> inputs_ = {};  ///< fixed after learn_shapes()
  std::size_t fetch_count_ = 0;
  uint64_t fetch_size_ = 0;
};

}  // namespace tacore
