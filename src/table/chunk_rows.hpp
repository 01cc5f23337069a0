#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tacore {

/// A row of the chunk table of a streaming TACO 0.2.0. Offsets of bands count from `offset`.
struct ChunkRow {
  std::string root = {}, id = {};
  int64_t parent = 0, offset = 0, length = 0;
  std::vector<int64_t> band_offsets = {}, band_lengths = {};
  int32_t level = 0, row = 0, col = 0;
  std::vector<int32_t> shape = {}, valid = {};
  std::string dtype = {}, interleave = {};
  int32_t compression = 0, predictor = 0;
  std::optional<double> nodata = {};
  std::vector<int32_t> axes = {};  ///< none: null
};

/// Collects chunk rows into a table, which has the column `chunk:axes` only if a row has axes.
class ChunkRows {
 public:
  ChunkRows();
  ~ChunkRows();
  void append(const ChunkRow& row);
  std::shared_ptr<arrow::Table> finish();

 private:
  struct Builders;
  std::unique_ptr<Builders> builders_;
};

}  // namespace tacore
