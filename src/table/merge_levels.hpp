#pragma once

#include <arrow/type_fwd.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "table/covering.hpp"
#include "table/level_table.hpp"
#include "table/parquet_write.hpp"

namespace tacore {

/// Rules for the columns of the parts of an index.
struct MergeRules {
  /// True: every part has the columns of the first, in any order. False: a level has the columns of all parts, null
  /// where a part lacks one, of a type that holds all values.
  bool same_columns = true;
  bool has_internal = true;   ///< false: `internal:*` are ignored, in which containers differ
  bool has_covering = false;  ///< true: a level also has the bounding boxes of its geometries (covering.hpp)
};

/// One level of an index over several parts, before it is written. Parts are added in order.
class MergedLevel {
 public:
  explicit MergedLevel(const MergeRules& rules);
  ~MergedLevel();
  MergedLevel(MergedLevel&&) noexcept;

  /// Adds a part, of which only the footer is read. Throws SchemaError, with path, level and types, for columns that do
  /// not fit those of the parts before, and for two of one name.
  void add(const LevelTable& part);

  /// The columns: `id`, `type`, those of the first part in its order, further ones as parts add them, `internal:*`, and
  /// last `internal:source_file`, which is computed here. Such a column of a part is dropped, as are derived ones.
  std::shared_ptr<arrow::Schema> schema() const;
  /// The columns of the bounding boxes, where MergeRules has them: they need not be in any part.
  std::vector<Covering> coverings() const;
  /// The type of a column as `taco:field_schema` names it; "" when there is no such column.
  std::string type_of(std::string_view column) const;
  int64_t num_rows() const noexcept;
  /// The size of all parts in bytes.
  uint64_t num_bytes() const noexcept;

 private:
  friend class MergedRows;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Opens the level of a part, unchanged since it was added. Called when its rows are read, so that few files are open;
/// from several threads.
using OpenLevel = std::function<std::shared_ptr<const LevelTable>(std::size_t part)>;

struct MergeOptions {
  int jobs = 1;
  ParquetOptions parquet = {};
  /// Progress callback: the number of bytes of all parts that are done. May throw, which stops the work.
  std::function<void(uint64_t num_bytes)> progress = {};
};

/// Writes the rows of all parts in order, each with the name of its part in `files`. Row numbers and offsets stay those
/// of the part. A few row groups are in memory at a time. Throws what `open` and `out` throw, FormatError for what
/// cannot be read, SchemaError for values that do not fit the type of the column and for a part that changed meanwhile.
void merge_levels(const MergedLevel& level, const std::vector<std::string>& files, const OpenLevel& open,
                  const ByteConsumer& out, const MergeOptions& options);

}  // namespace tacore
