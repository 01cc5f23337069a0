#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/byte_source.hpp"
#include "tacore/dataframe.hpp"
#include "tacore/error.hpp"

namespace tacore {

/// One level (`METADATA/levelN.parquet`) or one `__meta__`: the Parquet footer is read when it opens, columns row group
/// by row group when they are asked for, and then kept. Immutable; safe from several threads.
class LevelTable {
 public:
  /// Reads the footer and checks it: Parquet, not encrypted, row counts that add up, `id` and `type` of text type,
  /// `internal:` columns of integer or text type. Throws FormatError or SchemaError.
  static std::shared_ptr<const LevelTable> open(std::shared_ptr<const ByteSource> source, const ErrorContext& where);
  ~LevelTable();

  int64_t num_rows() const noexcept;
  /// Every stored column. A name that differs from an earlier one only in case gets a suffix `_1`, `_2`, ... since SQL
  /// folds case; an empty name is `_1`.
  const std::vector<Column>& columns() const noexcept;
  /// The same columns by the names that the file gives them, which may be equal.
  const std::shared_ptr<arrow::Schema>& stored_schema() const noexcept;
  /// The position of a column, -1 when there is none.
  int find(std::string_view name) const noexcept;

  int num_row_groups() const noexcept;
  /// The first row of a row group; num_rows() for num_row_groups().
  int64_t group_begin(int group) const;
  int group_of(int64_t row) const;

  /// A column in a row group, decoded once.
  std::shared_ptr<arrow::Array> array(int column, int group) const;
  /// Keeps a column of `like` as array() of its own first row group, if `like` has decoded it and both are stored in
  /// the same bytes: one table after the other is read so where most hold the same.
  void adopt(int column, const LevelTable& like, int like_column) const;
  /// The same as array() without keeping it, for whole-table passes.
  std::shared_ptr<arrow::Array> decode(int column, int group) const;

  /// Cells; nullopt for null. Text of any string type, bytes of any string or binary type, integers of any integer
  /// type.
  std::optional<std::string> text(int column, int64_t row) const;
  std::optional<std::string> binary(int column, int64_t row) const;
  std::optional<int64_t> integer(int column, int64_t row) const;

  /// The largest absolute value of a column of numbers, from the footer; nullopt when it does not say for every row
  /// group.
  std::optional<double> magnitude(int column) const;
  /// What the footer says of the values of a column in a row group that they are not; "" when it holds, or nothing is
  /// said. Reads them all; lists are not compared.
  std::string why_wrong_statistics(int column, int group) const;
  /// False when the footer rules out that a text column holds `value` in a row group.
  bool may_hold(int column, int group, std::string_view value) const;
  /// Whether a row of padding can be in here at all, judged by the footer alone: by the range of `id`, by
  /// `internal:size` (FILEs of padding have none) and by user columns (padding is all null).
  bool may_have_padding() const noexcept;
  /// Rows that are not padding; looked at once, where footers leave it open.
  int64_t num_visible_rows() const;

  const std::shared_ptr<const ByteSource>& source() const noexcept;
  /// The last bytes of the file, footer included, for readers that parse it again.
  const Bytes& tail() const noexcept;
  /// For readers that trust page headers: to be called before bytes read at `offset` are handed to one. Throws
  /// FormatError for a page that cannot be (page_check.hpp).
  void check_pages(uint64_t offset, std::span<const std::byte> bytes) const;
  const ErrorContext& where() const noexcept;

 private:
  int64_t padding_in(int group) const;

  struct Impl;
  explicit LevelTable(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// A copy of `level` in memory in which some integer columns hold other values (one vector for each name, as long as
/// the table).
std::shared_ptr<const LevelTable> with_integers(
    const LevelTable& level, const std::map<std::string, std::vector<std::optional<int64_t>>>& columns);

}  // namespace tacore
