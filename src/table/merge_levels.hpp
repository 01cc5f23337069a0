#pragma once

#include <arrow/type_fwd.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "table/level_table.hpp"
#include "table/parquet_write.hpp"

namespace tacore {

/// Which columns parts may have.
struct MergeRules {
  /// Every part has those of the first, in any order. Else a level has those of all, null where a part has none, of a
  /// type that holds the values of all.
  bool same_columns = true;
  bool has_internal = true;  ///< false: `internal:*` are passed over, in which containers differ
};

/// One level of an index over several parts (format dossier 5.1), before it is written. Parts are added in order.
class MergedLevel {
 public:
  explicit MergedLevel(const MergeRules& rules);
  ~MergedLevel();
  MergedLevel(MergedLevel&&) noexcept;

  /// Looks at the footer. Throws SchemaError, with path, level and types, for columns that do not fit those before, and
  /// for two of one name.
  void add(const LevelTable& part);

  /// `id`, `type`, the columns of the first part in its order, new ones as they came, `internal:*`, and last
  /// `internal:source_file`, which is made here. Such columns of a part go, and what readers make.
  std::shared_ptr<arrow::Schema> schema() const;
  /// As `taco:field_schema` names it; "" when there is no such column.
  std::string type_of(std::string_view column) const;
  int64_t num_rows() const noexcept;
  /// Of all parts.
  uint64_t num_bytes() const noexcept;

 private:
  friend class MergedRows;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// The level of a part, as it was when it was added. Asked for when its rows are read, so that few files are open; from
/// several threads.
using OpenLevel = std::function<std::shared_ptr<const LevelTable>(std::size_t part)>;

struct MergeOptions {
  int jobs = 1;
  ParquetOptions parquet = {};
  /// Told how many of the bytes of all parts are done. May throw, which stops the work.
  std::function<void(uint64_t num_bytes)> progress = {};
};

/// Writes the rows of all parts in order, each with the name of its part in `files`. Their numbers and places stay
/// those of the part. A few row groups are in memory at a time. Throws what `open` and `out` throw, FormatError for
/// what cannot be read, SchemaError for values that the type of the column does not hold and for a part that changed
/// meanwhile.
void merge_levels(const MergedLevel& level, const std::vector<std::string>& files, const OpenLevel& open,
                  const ByteConsumer& out, const MergeOptions& options);

}  // namespace tacore
