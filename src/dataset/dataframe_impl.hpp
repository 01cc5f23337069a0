#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dataset/dataset_impl.hpp"
#include "table/rows.hpp"
#include "tacore/dataframe.hpp"

namespace tacore {

/// Finds rows by id: it scans at first, and builds a hash table after several searches.
class IdMap {
 public:
  int64_t find(const Rows& rows, int column, std::string_view id) const;

 private:
  void build(const Rows& rows, int column) const;

  mutable std::mutex mutex_;
  mutable int scans_ = 0;
  mutable std::vector<int64_t> slots_;  ///< row + 1, open addressing; 0 is free
};

struct DataFrame::Impl {
  static const std::shared_ptr<const Impl>& of(const DataFrame& from) noexcept { return from.impl_; }

  std::shared_ptr<const Dataset::Impl> dataset;
  std::shared_ptr<const Rows> rows;
  std::vector<Column> columns;  ///< the visible columns
  std::vector<int> sources;     ///< of each visible column: a column of `rows`, or -1 for a path that is computed
  IdMap ids = {};
  /// True when the rows hold what their level stores (only_chooses_rows()), so that nothing is decoded again.
  bool holds_stored = false;
  /// True when each visible column that is also in a level has the values of that level.
  bool is_stored = false;
  /// The result of level(), computed once.
  mutable std::once_flag rows_level_found = {};
  mutable int rows_level = -1;

  // For rows of a `__meta__`, which have no key: the FOLDER that they are in.
  std::shared_ptr<const Container> container = {};
  int level = -1;
  std::string parent_path = {};  ///< from DATA/
  std::string source_file = {};

  /// The GDAL path of a row; nullopt for rows that lost the columns for it. The offset and size in it are verified,
  /// unless `must_prove` is false and the level is verified elsewhere.
  std::optional<std::string> path(int64_t row, bool must_prove = true) const;
  RowAddress address(int64_t row) const;
  std::shared_ptr<const Container> container_of(int64_t row) const;
  DataFrame children(int64_t row) const;
  SampleType type(int64_t row) const;
  /// True for a FILE of format BYTES, in a container before 2.0.
  bool is_bytes(int64_t row) const;
  void check_position(int64_t row) const;
};

/// True for the path columns, which are computed.
bool is_path_column(std::string_view name);
/// Appends the path columns to the visible columns of a frame.
void add_paths(DataFrame::Impl& frame);

/// What a DataFrame is made of, for the library itself.
inline const std::shared_ptr<const DataFrame::Impl>& impl_of(const DataFrame& frame) noexcept {
  return DataFrame::Impl::of(frame);
}

}  // namespace tacore
