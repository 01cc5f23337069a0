#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "query/query_plan.hpp"
#include "table/rows.hpp"
#include "tacore/dataframe.hpp"
#include "tacore/dataset.hpp"

namespace tacore {

/// The partitions of a TACOLLECTION.json, opened when they are needed.
class Partitions {
 public:
  Partitions(std::shared_ptr<const Storage> storage, std::vector<Source> sources, std::string folder,
             bool verify);

  const std::vector<Source>& sources() const noexcept { return sources_; }
  /// Where they lie.
  const std::string& folder() const noexcept { return folder_; }
  /// The union of all partitions. What taco:sources says of their extents is not proved by anything, so none is left
  /// out for it.
  View resolve(const std::vector<Step>& steps) const;
  /// One partition, opened once.
  std::shared_ptr<const View> open(std::size_t i) const;
  int num_opened() const;

 private:
  std::vector<std::shared_ptr<const View>> open_all() const;
  std::shared_ptr<const View> open_anew(std::size_t i) const;

  std::shared_ptr<const Storage> storage_;
  std::vector<Source> sources_;
  std::string folder_;
  bool verify_;
  mutable std::mutex mutex_;
  mutable std::vector<std::shared_ptr<const View>> opened_;  ///< nullptr until it is
};

/// Columns of every level that all parts have (or any, null-filled), in the order of the first; throws SchemaError as
/// concat() does.
Union unite(std::vector<UnionPart> parts, ColumnMode mode);

struct Dataset::Impl {
  std::string path;
  Format format = Format::Zip;
  std::shared_ptr<const Collection> collection;
  View base;  ///< unused while `partitions` stands for it
  std::shared_ptr<const Partitions> partitions = {};

  /// The rows are those of a frame, to_dataset(), and their metadata is what these have.
  bool has_given_rows = false;
  /// `from` with these rows, which its query is not asked for.
  static std::shared_ptr<const Impl> with_rows(const Impl& from, std::shared_ptr<const Rows> rows);

  /// taco:pit_schema, before 2.0 that of Container::tree(). Filters do not change it.
  const PitSchema& tree() const;
  /// The view with its containers, partitions chosen.
  const View& view() const;
  /// The rows, computed once.
  std::shared_ptr<const Rows> rows() const;
  /// The same, with offsets and sizes that are proved.
  std::shared_ptr<const Rows> raw_rows() const;
  /// view(), with rows() in it where a query of it draws: for whatever has to do with the rows that show.
  View drawn_view() const;
  /// Their number. Filters alone are counted without making the rows.
  int64_t num_rows() const;
  /// What a statement gives, without running it.
  static SqlColumns describe(const Statement& statement);
  static std::shared_ptr<const Rows> compute(const Statement& statement);

  /// The container of a leaf.
  std::shared_ptr<const Container> leaf(int number) const;
  /// The rows of `level` that survive the filters and belong to a parent, ascending; nullopt when nothing restricts
  /// that level.
  std::optional<std::vector<int64_t>> survivors(const RowKey& parent) const;

 private:
  using Survivors = std::unordered_map<std::string, std::vector<int64_t>>;

  mutable std::mutex mutex_;
  mutable std::shared_ptr<const View> resolved_;
  mutable std::shared_ptr<const Rows> rows_;
  mutable std::shared_ptr<const Rows> raw_rows_;
  mutable std::optional<int64_t> num_rows_;
  mutable std::map<int, std::shared_ptr<const Survivors>> survivors_;
};

/// The same view, of which nothing is computed yet.
std::shared_ptr<Dataset::Impl> copy(const Dataset::Impl& from);

/// A frame over the rows of a dataset, with the columns that `data()` or, with `raw`, `data_raw()` shows.
DataFrame make_frame(std::shared_ptr<const Dataset::Impl> dataset, std::shared_ptr<const Rows> rows, bool raw);

/// Throws QueryError for a level that is not there.
void check_level(int level, int num_levels, const std::string& path);

/// load() over another world than the file system, for tests.
Dataset load(std::string_view path, const LoadOptions& options, std::shared_ptr<const Storage> storage);

}  // namespace tacore
