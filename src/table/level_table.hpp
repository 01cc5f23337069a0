#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/byte_source.hpp"
#include "tacore/bbox.hpp"
#include "tacore/error.hpp"
#include "tacore/types.hpp"

namespace tacore {

/// Rows [begin, end) of a table.
struct RowSpan {
  int64_t begin = 0;
  int64_t end = 0;

  bool operator==(const RowSpan&) const = default;
};
/// Ascending and apart from each other.
using RowSpans = std::vector<RowSpan>;

/// A column that a table shows although its file stores it under another name, with another type, or not at all, as in
/// versions before 2.0.
struct DerivedColumn {
  enum class Kind {
    Copy,      ///< the values of `from`
    Whole,     ///< `from`, numbers without a fraction, as int64, increased by `add`
    Type,      ///< FOLDER where the text of `from` is TORTILLA, in any case; else FILE
    Constant,  ///< `text` in every row
    Hidden     ///< `from` does not show
  };
  std::string name = {};  ///< replaces the stored column `from` when it has its name
  Kind kind = Kind::Copy;
  std::string from = {};
  int64_t add = 0;
  std::string text = {};
};

/// Decides which columns to derive from a file with these columns. May throw for missing columns.
using Derive = std::function<std::vector<DerivedColumn>(const std::vector<Column>& stored)>;

/// A level table (`METADATA/levelN.parquet`) or a `__meta__`. Opening reads the Parquet footer; columns are read by row
/// group on first use, and kept. Immutable; safe from several threads.
class LevelTable {
 public:
  /// Reads the footer and checks it: Parquet, not encrypted, row counts that add up, `id` and `type` of text type,
  /// `internal:` columns of integer or text type. Throws FormatError or SchemaError.
  static std::shared_ptr<const LevelTable> open(std::shared_ptr<const ByteSource> source, const ErrorContext& where);
  /// Opens a file that lacks columns of a level, which are derived: they appear as if they were stored, `id` and `type`
  /// first. Such a table has no padding, and its ids may be any text. Also throws SchemaError for a `from` that is
  /// missing or of the wrong type.
  static std::shared_ptr<const LevelTable> open(std::shared_ptr<const ByteSource> source, const ErrorContext& where,
                                                const Derive& derive);
  /// Opens a table as open() does. Where it has the schema of `like`, the columns are taken from `like` and not
  /// computed again: for reading many tables in sequence.
  static std::shared_ptr<const LevelTable> open(std::shared_ptr<const ByteSource> source, const ErrorContext& where,
                                                const LevelTable& like);
  ~LevelTable();

  int64_t num_rows() const noexcept;
  /// Every column, stored or derived. Of names that differ only in case, all but one get a suffix `_1`, `_2`, ...,
  /// because SQL ignores case; the choice does not depend on the order of columns. An empty name becomes `_1`.
  const std::vector<Column>& columns() const noexcept;
  /// Names of the stored columns for SQL over the file itself, in file order; derived() is the rule that makes a column
  /// of columns() from them: nullptr for one that is stored as it appears, under its name.
  const std::vector<std::string>& file_columns() const noexcept;
  const DerivedColumn* derived(int column) const noexcept;
  /// The stored columns under the names of the file, which need not be unique.
  const std::shared_ptr<arrow::Schema>& stored_schema() const noexcept;
  /// The position of a column, -1 when there is none.
  int find(std::string_view name) const noexcept;

  int num_row_groups() const noexcept;
  /// The first row of a row group; num_rows() for num_row_groups().
  int64_t group_begin(int group) const;
  int group_of(int64_t row) const;

  /// A column in a row group, decoded once; of a local table that is read in order, the last 256 MiB are kept. A remote
  /// one is requested once, however many threads need it, and columns that are usually needed together are requested
  /// together.
  std::shared_ptr<arrow::Array> array(int column, int group) const;
  /// Prefetches columns of the row groups [group, end) of a remote table in one batch, up to kMostAhead bytes but at
  /// least one group, and keeps them as array() does. Returns the first row group that was left out; for a local table,
  /// which is not read, `end`. Throws IoError.
  int read_ahead(std::span<const int> columns, int group, int end) const;
  static constexpr uint64_t kMostAhead = 64 << 20;
  /// Takes over a decoded column of `like` as array() of the first row group, if both are stored in the same bytes: for
  /// reading many tables in sequence that mostly hold the same.
  void adopt(int column, const LevelTable& like, int like_column) const;
  /// As array(), but without keeping the result: for passes over the whole table.
  std::shared_ptr<arrow::Array> decode(int column, int group) const;
  /// Several columns, read together; nullptr for a damaged one, for which a decode() of this column throws the reason.
  std::vector<std::shared_ptr<arrow::Array>> decode(std::span<const int> columns, int group) const;

  /// The value of a cell; nullopt for null. Text of any string type, bytes of any string or binary type, integers of
  /// any integer type.
  std::optional<std::string> text(int column, int64_t row) const;
  std::optional<std::string> binary(int column, int64_t row) const;
  std::optional<int64_t> integer(int column, int64_t row) const;

  /// Why the statistics of a column in a row group are wrong; "" when they are right or absent. Reads all values; lists
  /// are not compared.
  std::string why_wrong_statistics(int column, int group) const;
  /// False when the statistics rule out that a text column contains `value` in a row group.
  bool may_hold(int column, int group, std::string_view value) const;
  /// True when by the statistics a text column contains no other value.
  bool holds_only(int column, int group, std::string_view value) const;
  /// True when by the statistics a column has no null.
  bool has_no_nulls(int column) const;
  /// The minimum and maximum of a column of integers in a row group, by the statistics; nullopt without them.
  std::optional<std::pair<int64_t, int64_t>> bounds(int column, int group) const;
  /// The minimum of a column of integers in a row group, by the statistics; nullopt without it.
  std::optional<int64_t> smallest(int column, int group) const;
  /// True unless the footer by itself rules out padding: by the range of `id`, or by `internal:size` (FILEs of padding
  /// have none).
  bool may_have_padding() const noexcept;
  /// The number of rows that are not padding; computed once, where the footer does not decide it.
  int64_t num_visible_rows() const;

  /// The column of the bounding boxes of a column of WKB (covering.hpp); nullopt where there is none, and where nothing
  /// proves that the boxes are those of the geometries: a warning tells of a proof that does not fit
  /// (parquet_proof.hpp).
  std::optional<std::string> covering_of(std::string_view geometry) const;
  /// True when covering_of() has a column for some geometry.
  bool has_covering() const;
  /// True for a column of structures that begin with the numbers x and y.
  bool has_coordinates(int column) const;
  /// The rows whose bounding box, in the column `boxes` of covering_of(), or whose point, in a column with coordinates,
  /// may be one that `may_meet` accepts; others may be among them. `may_meet` is asked for the box around a row group,
  /// which the footer states, and around a page, where the page index is proved. Points that are not numbers may be
  /// missing.
  RowSpans rows_in(const std::string& boxes, const std::function<bool(const BBox&)>& may_meet) const;
  /// True where the table has an id index (id_index.hpp), and a proof that it is the one of its ids: a warning tells of
  /// a proof that does not fit.
  bool has_id_index() const;
  /// The rows that may have one of these ids, by the id index; others may be among them. nullopt where it does not
  /// tell.
  std::optional<RowSpans> rows_with_ids(std::span<const std::string> ids) const;
  /// The rows with this id, ascending, by the id index; nullopt where it does not tell. Of a remote table, reads the
  /// pages of rows that may have it and no others, with the columns that locate their data, and keeps the last ones for
  /// text(), binary() and integer() of these rows.
  std::optional<std::vector<int64_t>> find_id(std::string_view id) const;
  /// Why the bounding boxes of covering_of() are not those of the geometries, the id index is not that of the ids, or
  /// the page index not that of the pages. The text is empty if they are right, or if the table has none. Reads all
  /// values, and the pages twice.
  std::string why_wrong_proof() const;
  /// Some rows of a level as a table of their own, which reads no other pages of the file.
  struct Selection {
    std::shared_ptr<const LevelTable> table = {};
    RowSpans rows = {};  ///< those of the level that the table has, in order: the wanted ones or more
    /// The column of the table with the numbers of its rows in the level, where they are not `rows`: that of a
    /// side-car.
    std::string row_column = {};
  };
  /// Selects the pages that have these rows. Where the page index does not tell them for all columns, the rows of a row
  /// group are selected together. The table is nullptr where none can be made: with derived columns, and where row
  /// groups are compressed differently, encrypted, or not in the file.
  Selection select(const RowSpans& rows) const;
  /// True for the table of a selection.
  bool is_selection() const noexcept;

  const std::shared_ptr<const ByteSource>& source() const noexcept;
  /// ByteSource::version() of the file, even if the whole table is in memory.
  std::string version() const;
  /// The byte ranges of stored columns, given by their positions in the file, in a row group: one for each leaf column,
  /// as the footer states it. In a damaged file they may be anything.
  std::vector<ByteRange> stored_ranges(std::span<const int> stored, int group) const;
  /// What the footer states about the values of a stored column in a row group. Nothing proves it: for estimates.
  struct StoredValues {
    std::optional<std::pair<double, double>> bounds = {};  ///< of numbers; of times in seconds since 1970
    double bits = 0;                                       ///< that a value takes, before it is compressed
    double nulls = 0;                                      ///< their share of the rows
  };
  /// Takes a stored column by its position in the file. One of several leaf columns has neither bounds nor nulls.
  StoredValues stored_values(int stored, int group) const;
  /// False where the file is read over a network, even if the whole table is in memory.
  bool is_local() const noexcept;
  /// The last bytes of the file, footer included, for readers that parse it again.
  const Bytes& tail() const noexcept;
  /// The value of a key in the metadata of the footer.
  std::optional<std::string> key_value(const std::string& key) const;
  /// Checks page headers for readers that trust them: call it before handing on bytes that were read at `offset`.
  /// Throws FormatError for an impossible page (page_check.hpp).
  void check_pages(uint64_t offset, std::span<const std::byte> bytes) const;
  const ErrorContext& where() const noexcept;

 private:
  static std::shared_ptr<const LevelTable> open(std::shared_ptr<const ByteSource> source, const ErrorContext& where,
                                                const Derive& derive, const LevelTable* like);
  int64_t padding_in(int group) const;
  std::string why_wrong_pages(int group) const;

  struct Impl;
  explicit LevelTable(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// Tells a level from others, as far as its footer does: the number of rows, the size, and the CRC-32 of the footer.
std::string fingerprint_of(const LevelTable& level);

/// A copy of `level` in memory in which some integer columns have other values (one vector for each name, as long as
/// the table).
std::shared_ptr<const LevelTable> with_integers(
    const LevelTable& level, const std::map<std::string, std::vector<std::optional<int64_t>>>& columns);

}  // namespace tacore
