#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "dataset/partitions.hpp"
#include "query/query_plan.hpp"
#include "table/rows.hpp"
#include "tacore/dataframe.hpp"
#include "tacore/dataset.hpp"

namespace tacore {

/// Joins parts: the columns of every level that all parts have (or any part, filled with null), in the order of the
/// first part. Throws SchemaError as concat() does.
Union unite(std::vector<UnionPart> parts, ColumnMode mode);

struct Dataset::Impl {
  static const std::shared_ptr<const Impl>& of(const Dataset& from) noexcept { return from.impl_; }

  std::string path;
  Format format = Format::Zip;
  std::shared_ptr<const Collection> collection;
  View base;  ///< with `partitions`, only its steps are used
  std::shared_ptr<const Partitions> partitions = {};

  /// True when the rows are those of a frame (to_dataset()), whose metadata may differ from the stored one.
  bool has_given_rows = false;
  /// `from` with these rows in place of its query.
  static std::shared_ptr<const Impl> with_rows(const Impl& from, std::shared_ptr<const Rows> rows);

  /// taco:pit_schema, or before 2.0 Container::tree(). Filters do not change it.
  const PitSchema& tree() const;
  /// The view with its containers; partitions are opened, but for those in which its filters would find nothing.
  const View& view() const;
  /// A view of the same columns and steps: view(), or that of the first partition where the bounds of all are known.
  const View& shape() const;
  /// True when the rows are those of all partitions, whose bounds are known: none is opened before it is read.
  bool is_stack() const;
  /// The rows, computed once.
  std::shared_ptr<const Rows> rows() const;
  /// The rows with verified offsets and sizes.
  std::shared_ptr<const Rows> raw_rows() const;
  /// view(), or with rows() in place of a query that varies: for what must agree with the rows that are shown.
  View drawn_view() const;
  /// The number of rows. With filters only, they are counted without computing the rows.
  int64_t num_rows() const;
  /// The columns of a statement's result, without running it.
  static SqlColumns describe(const Statement& statement);
  static std::shared_ptr<const Rows> compute(const Statement& statement);

  /// The container with this number.
  std::shared_ptr<const Container> leaf(int number) const;
  /// The rows of the level below a parent that survive the filters, ascending; nullopt when no filter restricts that
  /// level.
  std::optional<std::vector<int64_t>> survivors(const RowKey& parent) const;

 private:
  using Survivors = std::unordered_map<std::string, std::vector<int64_t>>;

  mutable std::mutex mutex_;
  mutable std::shared_ptr<const View> resolved_;
  mutable std::shared_ptr<const View> shape_;
  mutable std::shared_ptr<const Rows> rows_;
  mutable std::shared_ptr<const Rows> raw_rows_;
  mutable std::optional<int64_t> num_rows_;
  mutable std::map<int, std::shared_ptr<const Survivors>> survivors_;
};

/// The types in SQL of the columns that a table stores, in the order of its file.
std::vector<std::string> sql_types_of(const std::shared_ptr<const LevelTable>& table);

/// Throws QueryError for given rows (to_dataset()), which a result of the query would not describe.
void check_no_given_rows(const Dataset::Impl& impl, const char* what);

/// A copy with the same view, without computed results.
std::shared_ptr<Dataset::Impl> copy(const Dataset::Impl& from);

/// A frame over the rows of a dataset, with the columns of `data()` or, with `raw`, of `data_raw()`.
DataFrame make_frame(std::shared_ptr<const Dataset::Impl> dataset, std::shared_ptr<const Rows> rows, bool raw);

/// A frame over the rows of QueryPlan::files().
DataFrame flat_frame(std::shared_ptr<const Dataset::Impl> dataset, std::shared_ptr<const Rows> rows);

/// The SELECT that adds a column to `table`, or replaces it where `columns` have it. Throws QueryError for a protected
/// name, for one that differs from another in case only, and for what is not one expression.
std::string select_with_column(std::string_view name, std::string_view expression, const std::vector<Column>& columns,
                               const std::string& table, const std::string& path);

/// Throws QueryError for a level that does not exist.
void check_level(int level, int num_levels, const std::string& path);

/// The public load(), but with a storage other than the file system, for tests.
Dataset load(std::string_view path, const LoadOptions& options, std::shared_ptr<const Storage> storage);

/// What a Dataset is made of, for the library itself.
inline const std::shared_ptr<const Dataset::Impl>& impl_of(const Dataset& dataset) noexcept {
  return Dataset::Impl::of(dataset);
}

}  // namespace tacore
