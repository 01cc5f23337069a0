#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/byte_source.hpp"
#include "tacore/types.hpp"
#include "tacore/error.hpp"

namespace tacore {

/// A column that a table shows though its file has it under another name, of another type, or not at all, as the tables
/// of the versions before 2.0 do.
struct DerivedColumn {
  enum class Kind {
    Copy,      ///< the values of `from`
    Whole,     ///< those of `from`, numbers without a fraction, as int64, each `add` larger
    Type,      ///< FOLDER where the text of `from` is TORTILLA, in any case; else FILE
    Constant,  ///< `text` in every row
    Hidden     ///< `from` does not show
  };
  std::string name = {};  ///< takes the place of the stored column `from` when it has its name
  Kind kind = Kind::Copy;
  std::string from = {};
  int64_t add = 0;
  std::string text = {};
};

/// What to derive from a file with these columns. May throw for columns that are missing.
using Derive = std::function<std::vector<DerivedColumn>(const std::vector<Column>& stored)>;

/// One level (`METADATA/levelN.parquet`) or one `__meta__`: the Parquet footer is read when it opens, columns row group
/// by row group when they are asked for, and then kept. Immutable; safe from several threads.
class LevelTable {
 public:
  /// Reads the footer and checks it: Parquet, not encrypted, row counts that add up, `id` and `type` of text type,
  /// `internal:` columns of integer or text type. Throws FormatError or SchemaError.
  static std::shared_ptr<const LevelTable> open(std::shared_ptr<const ByteSource> source, const ErrorContext& where);
  /// The same of a file that lacks columns of a level, which are derived: they show as if they were stored, `id` and
  /// `type` first. Such a table has no padding, and its ids may be any text. Throws SchemaError, too, for a `from` that
  /// is not there or has not the type it takes.
  static std::shared_ptr<const LevelTable> open(std::shared_ptr<const ByteSource> source, const ErrorContext& where,
                                                const Derive& derive);
  ~LevelTable();

  int64_t num_rows() const noexcept;
  /// Every column, stored or derived. Of names that differ in case only all but one get a suffix `_1`, `_2`, ..., since
  /// SQL folds case: whatever the order of columns, the same. An empty name is `_1`.
  const std::vector<Column>& columns() const noexcept;
  /// For SQL over the file itself: a name for each stored column, in the order of the file, and what makes a column of
  /// columns() of them: nullptr for one that is stored as it shows, under its name.
  const std::vector<std::string>& file_columns() const noexcept;
  const DerivedColumn* derived(int column) const noexcept;
  /// The stored columns by the names that the file gives them, which may be equal.
  const std::shared_ptr<arrow::Schema>& stored_schema() const noexcept;
  /// The position of a column, -1 when there is none.
  int find(std::string_view name) const noexcept;

  int num_row_groups() const noexcept;
  /// The first row of a row group; num_rows() for num_row_groups().
  int64_t group_begin(int group) const;
  int group_of(int64_t row) const;

  /// A column in a row group, decoded once. Of a remote file it is asked for once, too, by however many threads, and
  /// columns that are needed together come together.
  std::shared_ptr<arrow::Array> array(int column, int group) const;
  /// For a pass over a remote table: asks for columns of the row groups [group, end) together, as many as kMostAhead
  /// bytes are stored in but at least one, and keeps them as array() does. The first row group that was left out; of a
  /// local table nothing is read, and it is `end`. Throws IoError.
  int read_ahead(std::span<const int> columns, int group, int end) const;
  static constexpr uint64_t kMostAhead = 64 << 20;
  /// Keeps a column of `like` as array() of its own first row group, if `like` has decoded it and both are stored in
  /// the same bytes: one table after the other is read so where most hold the same.
  void adopt(int column, const LevelTable& like, int like_column) const;
  /// The same as array() without keeping it, for whole-table passes.
  std::shared_ptr<arrow::Array> decode(int column, int group) const;
  /// Several of them, read together; nullptr for one that cannot be decoded, which decode() of it alone explains.
  std::vector<std::shared_ptr<arrow::Array>> decode(std::span<const int> columns, int group) const;

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
  /// True when the footer says that a text column holds nothing else.
  bool holds_only(int column, int group, std::string_view value) const;
  /// The smallest and the largest value of a column of integers in a row group; nullopt when the footer does not say.
  std::optional<std::pair<int64_t, int64_t>> bounds(int column, int group) const;
  /// The smallest value of a column of integers in a row group; nullopt when the footer does not say.
  std::optional<int64_t> smallest(int column, int group) const;
  /// Whether a row of padding can be in here at all, judged by the footer alone: by the range of `id`, by
  /// `internal:size` (FILEs of padding have none).
  bool may_have_padding() const noexcept;
  /// Rows that are not padding; looked at once, where footers leave it open.
  int64_t num_visible_rows() const;

  const std::shared_ptr<const ByteSource>& source() const noexcept;
  /// Where the bytes of some stored columns, by their position in the file, lie in a row group, as its footer has it:
  /// one range for each of their leaves, which may be anything in a damaged file.
  std::vector<ByteRange> stored_ranges(std::span<const int> stored, int group) const;
  /// False where the file that it is in is read over a network, though all of the table may be here.
  bool is_local() const noexcept;
  /// The last bytes of the file, footer included, for readers that parse it again.
  const Bytes& tail() const noexcept;
  /// What the footer has under a key beside the schema.
  std::optional<std::string> key_value(const std::string& key) const;
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
