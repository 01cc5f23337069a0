#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "table/level_table.hpp"
#include "tacore/types.hpp"

namespace tacore {

/// The location of a stored row in one number, which SQL carries as a column: the part of a dataset, the level, the row
/// of that level. Negative: unknown.
struct RowKey {
  int part = 0;
  int level = 0;
  int64_t row = 0;

  static constexpr int kRowBits = 40;
  static constexpr int kLevelBits = 3;
  static constexpr int kMaxParts = 1 << 20;

  int64_t encode() const noexcept { return ((static_cast<int64_t>(part) << kLevelBits | level) << kRowBits) + row; }
  static RowKey decode(int64_t key) noexcept {
    return {static_cast<int>(key >> (kRowBits + kLevelBits)),
            static_cast<int>(key >> kRowBits & ((1 << kLevelBits) - 1)), key & ((int64_t{1} << kRowBits) - 1)};
  }
};

/// The column that carries RowKey through SQL; never visible.
inline constexpr std::string_view kRowKeyColumn = "internal:row";

/// Immutable rows in columns, decoded on first use. Safe from several threads.
class Rows {
 public:
  virtual ~Rows();
  virtual int64_t num_rows() const noexcept = 0;
  /// The stored columns, `internal:*` included.
  virtual const std::vector<Column>& columns() const noexcept = 0;
  int find(std::string_view name) const noexcept;

  /// The array that holds `row`, and the position in it.
  struct Cell {
    std::shared_ptr<arrow::Array> array;
    int64_t position = 0;
  };
  virtual Cell cell(int column, int64_t row) const = 0;
  /// Rows [begin, begin + count) of a column as one array.
  virtual std::shared_ptr<arrow::Array> array(int column, int64_t begin, int64_t count) const = 0;
  /// Prefetches columns of [begin, begin + count), of a remote level in one batch. Throws IoError.
  virtual void prepare(std::span<const int> columns, int64_t begin, int64_t count) const;
  /// The number of rows from `begin` on that are cheap to read together (up to the end of a row group), at least 1.
  virtual int64_t run(int64_t begin) const = 0;
  /// The location of a row; nullopt when a query dropped it.
  virtual std::optional<RowKey> key(int64_t row) const = 0;
  /// The level of all rows, where it is known without looking at each.
  virtual std::optional<int> level() const { return std::nullopt; }
  virtual std::shared_ptr<const Rows> slice(int64_t begin, int64_t count) const = 0;

  /// True where find_text() finds an id by the id index of a remote table, without reading all ids.
  virtual bool has_remote_id_index() const { return false; }
  /// The first row from `from` on whose text is `value`, -1 when there is none.
  virtual int64_t find_text(int column, std::string_view value, int64_t from = 0) const;

  std::optional<std::string> text(int column, int64_t row) const;
  std::optional<std::string> binary(int column, int64_t row) const;
  std::optional<int64_t> integer(int column, int64_t row) const;
  /// The Arrow type of a column (from an empty array of it).
  virtual std::shared_ptr<arrow::DataType> type(int column) const;
};

/// The rows of a level, all of them or [begin, begin + count).
std::shared_ptr<const Rows> level_rows(std::shared_ptr<const LevelTable> level, std::optional<RowKey> first,
                                       int64_t begin, int64_t count);
/// Selected rows of a level, ascending. `first` is the key of its row 0 (nullopt for a `__meta__`).
std::shared_ptr<const Rows> level_rows(std::shared_ptr<const LevelTable> level, std::optional<RowKey> first,
                                       std::vector<int64_t> rows);
/// The rows at these positions, which must exist, in this order.
std::shared_ptr<const Rows> taken_rows(std::shared_ptr<const Rows> rows, std::vector<int64_t> positions);
/// The rows of a level without padding.
std::shared_ptr<const Rows> visible_rows(std::shared_ptr<const LevelTable> level, std::optional<RowKey> first);

/// As visible_rows(), for one pass in order: of each column only the row group that was decoded last is kept.
std::shared_ptr<const Rows> passing_rows(std::shared_ptr<const LevelTable> level, std::optional<RowKey> first);

/// The rows of a table. Large chunks are not copied; a row is found in logarithmic time of their number.
std::shared_ptr<const Rows> table_rows(const std::shared_ptr<arrow::Table>& table);

/// All rows as a table of these columns, given by name and number.
std::shared_ptr<arrow::Table> to_table(const Rows& rows, const std::vector<std::pair<std::string, int>>& columns);

/// The number of bytes that Arrow has allocated in this process.
int64_t memory_in_use();

/// The same rows with their key as a column (kRowKeyColumn), where keys are known.
std::shared_ptr<const Rows> with_keys(std::shared_ptr<const Rows> rows);

}  // namespace tacore
