#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/byte_range.hpp"
#include "format/chunk_names.hpp"
#include "table/level_table.hpp"

namespace tacore {
struct TiffDirectory;
}

namespace tacore::v1 {

/// A row of a chunk table, as it is stored.
struct Chunk {
  int64_t offset = 0;  ///< from the first byte of the owner
  std::vector<int64_t> band_offsets = {}, band_lengths = {};
  std::vector<int64_t> shape = {}, valid = {};
  std::vector<int64_t> axes = {};
  std::string dtype = {}, interleave = {};
  int64_t compression = 0, predictor = 0;
  std::optional<double> nodata = {};
  int64_t length = 0;                         ///< from `offset` on
  std::optional<int64_t> row = {}, col = {};  ///< of the block, if the table states it
};

/// `lrf::2` as "lrf" and 2: split at the last `::` that only digits follow; nullopt for other ids.
std::optional<std::pair<std::string, uint64_t>> split_chunk_id(std::string_view id);

/// The last table of a streaming TACO, which locates the chunks of its rasters. Safe from several threads.
class ChunkTable {
 public:
  /// Throws SchemaError for missing columns.
  explicit ChunkTable(std::shared_ptr<const LevelTable> table);

  const std::shared_ptr<const LevelTable>& table() const { return table_; }
  /// The chunk `id` (`lrf::2`) of the raster in `owner`, which is row `row` of `level`. A chunk belongs to the raster
  /// that contains its bytes; one outside of all rasters to the raster that its id names, with offsets from that
  /// raster's first byte. nullopt when there is none. Throws FormatError for cells that are null or of another type.
  std::optional<Chunk> find(const std::string& id, ByteRange owner, int level, int64_t row) const;
  /// The rows whose bytes begin in `owner`, by offset.
  std::vector<int64_t> rows_in(ByteRange owner) const;
  /// A row of a raster that begins at byte `owner`. Throws FormatError for cells that are null or of another type.
  Chunk chunk(int64_t row, uint64_t owner) const;
  /// The directory of the TIFF that begins at `owner`, for checking its chunks: the result of `read`, kept for the next
  /// chunk.
  using Directory = std::shared_ptr<const TiffDirectory>;
  Directory directory(uint64_t owner, const std::function<Directory()>& read) const;

 private:
  /// Row numbers by ascending offset.
  const std::vector<int64_t>& by_offset() const;
  std::optional<int64_t> row_inside(const std::string& id, ByteRange owner) const;
  std::optional<int64_t> row_named(const std::string& id, ByteRange owner, int level, int64_t row) const;

  std::shared_ptr<const LevelTable> table_;
  mutable std::once_flag sorted_ = {};
  mutable std::vector<int64_t> by_offset_ = {};
  mutable std::mutex mutex_;
  mutable std::map<uint64_t, Directory> directories_ = {};
};

}  // namespace tacore::v1
