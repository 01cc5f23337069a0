#pragma once

#include <arrow/type_fwd.h>
#include <parquet/arrow/reader.h>
#include <parquet/metadata.h>

#include <atomic>
#include <condition_variable>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "table/arrow_source.hpp"
#include "table/id_index.hpp"
#include "table/level_table.hpp"
#include "table/page_check.hpp"
#include "table/parquet_proof.hpp"

namespace parquet {
class ColumnIndex;
}

namespace tacore {

/// Appends rows behind the others, which they may continue.
inline void append(RowSpans& out, RowSpan more) {
  if (!out.empty() && out.back().end == more.begin) {
    out.back().end = more.end;
  } else {
    out.push_back(more);
  }
}

/// The pages of a row group, as its page index states them.
struct PageIndex {
  struct Page {
    ByteRange range = {};  ///< with its header
    int64_t first_row = 0;
    int64_t num_values = -1;  ///< unknown for some columns of lists
  };
  std::vector<std::vector<Page>> pages = {};                       ///< of each leaf column
  std::vector<std::shared_ptr<parquet::ColumnIndex>> bounds = {};  ///< of each leaf column; nullptr: unknown
};

/// The parts of a level table, for the files that implement it.
struct LevelTable::Impl {
  /// Decoded arrays by column and row group.
  using Arrays = std::map<std::pair<int, int>, std::shared_ptr<arrow::Array>>;

  std::shared_ptr<const ByteSource> source;
  std::shared_ptr<const ByteSource> origin = {};  ///< what `source` was at first; nullptr for a selection
  ErrorContext where;
  Bytes tail;
  std::shared_ptr<parquet::FileMetaData> metadata;
  arrow::MemoryPool* pool = nullptr;
  std::vector<Column> columns;
  std::shared_ptr<arrow::Schema> schema;
  std::map<std::string, int, std::less<>> positions;
  std::vector<std::vector<int>> leaf_columns;  ///< of each column, in the file; of a derived one those of its source
  std::vector<std::string> file_columns;
  std::vector<std::vector<int>> file_leaves;  ///< of each of file_columns
  std::vector<DerivedColumn> made;            ///< the derived columns
  std::vector<const DerivedColumn*> from;     ///< of each column, into `made`
  std::vector<int64_t> group_begin;
  bool may_have_padding = true;

  mutable std::atomic<int64_t> num_padding = -1;  ///< not counted yet
  mutable std::once_flag pages_made;
  bool is_selection = false;
  bool is_local = true;  ///< where `source` was at first
  mutable std::unique_ptr<PageCheck> pages;
  mutable std::mutex mutex;
  mutable Arrays arrays;
  /// Which of `arrays` a local table keeps: see keep().
  struct Kept {
    std::list<std::pair<std::pair<int, int>, int64_t>> first_to_last = {};  ///< keys and bytes, as they were decoded
    std::set<std::pair<int, int>> dropped = {};                             ///< keys that are not kept any more
    std::map<int, int> last_group = {};                                     ///< the last one decoded of each column
    int64_t bytes = 0;
    int64_t most_bytes = int64_t{256} << 20;
  };
  mutable Kept kept_arrays;
  mutable std::set<int> fetching;  ///< row groups of which columns are being fetched
  mutable std::condition_variable fetched;
  // Making one looks at every column, so it is kept. One column at a time.
  mutable std::mutex reader_mutex;
  mutable std::shared_ptr<const ByteSource> reader_of;
  mutable std::shared_ptr<ArrowSource> reader_source;
  mutable std::unique_ptr<parquet::arrow::FileReader> reader;
  mutable std::once_flag read_at_once;
  mutable std::map<int, std::shared_ptr<arrow::Array>> small;  ///< stored columns, by the first of their leaf_columns

  // The stored columns (level_table.cpp).
  void open(const Derive& derive, const Impl* like);
  bool has_schema_of(const Impl& other) const;
  /// Takes over all that read_stored_columns(), derive_columns() and show_columns() set.
  void take_columns(const Impl& like);
  /// The schema as the file stores it: sets `schema` and `file_leaves`.
  void read_stored_columns();
  /// What is derived from it, and how SQL names the stored columns: sets `made` and `file_columns`.
  void derive_columns(const Derive& derive);
  std::vector<std::string> name_columns() const;
  /// The columns that a reader sees, with the types that they must have: sets `columns`, `positions`, `from`.
  void show_columns();
  void show_derived(const DerivedColumn& column);
  void show(const std::string& name, const arrow::DataType& type, std::vector<int> leaves,
            const DerivedColumn* derived);
  void check_column(const std::string& name, const arrow::DataType& type) const;
  void read_groups();
  std::vector<ColumnChunk> chunks() const;
  /// The number of leaf columns that a type has in the file.
  static int leaves(const arrow::DataType& type);

  // Which rows they rule out (level_pruning.cpp).
  mutable std::mutex pruning_mutex;
  mutable std::optional<Proved> proved;
  mutable bool is_proof_checked = false;
  mutable std::map<std::string, std::vector<std::optional<BBox>>, std::less<>> group_boxes;  ///< by column
  mutable std::map<int, std::shared_ptr<const PageIndex>> page_indexes;                      ///< nullptr: none to use
  mutable std::optional<IdIndex> ids;
  mutable std::list<Selection> kept;  ///< pages of rows that were found by their id, in a remote file; newest first
  /// Checks the proof and the keys that it proves, once. Call with the mutex held.
  void check_proof() const;
  /// The id index, where the proof covers it and no bucket of it was damaged.
  std::optional<IdIndex> id_index() const;
  /// The table among `kept` that has this row, and its row there; nullptr where there is none.
  std::pair<std::shared_ptr<const LevelTable>, int64_t> kept_row(int64_t row) const;
  /// The box around the boxes of each row group; nullopt where all are null.
  const std::vector<std::optional<BBox>>& boxes_of_groups(const std::string& boxes) const;
  /// Reads the page indexes of these row groups, if they have one and the proof fits it.
  void read_page_indexes(const std::vector<int>& groups) const;
  std::shared_ptr<const PageIndex> page_index(int group) const;
  std::shared_ptr<const PageIndex> parse_page_index(int group, const Bytes& bounds_bytes,
                                                    const Bytes& offset_bytes) const;

  // The statistics of its footer (level_statistics.cpp).
  std::shared_ptr<parquet::Statistics> statistics(int column, int group) const;
  std::shared_ptr<parquet::Statistics> statistics_of(int leaf, int group) const;
  bool padding_possible() const;
  bool padding_possible(int group) const;

  // The values of its columns (level_columns.cpp).
  /// Keeps a decoded column of a local table; returns the one that is kept. Call with the mutex held. A pass over a
  /// large table takes no more memory than Kept::most_bytes: columns that were decoded first are dropped. Where rows
  /// are read in no order, dropped columns are needed again in front of later ones: the limit then grows by their size,
  /// until all that is read is kept.
  std::shared_ptr<arrow::Array> keep(std::pair<int, int> key, std::shared_ptr<arrow::Array> decoded) const;
  /// Implements LevelTable::array() for a remote file.
  std::shared_ptr<arrow::Array> fetch(int column, int group) const;
  int read_ahead(std::span<const int> some, int group, int end) const;
  std::vector<int> asked_for_with(int column, int group) const;
  std::vector<ByteRange> ranges_of(std::span<const int> some, int group) const;
  /// The byte ranges of columns whose leaves are in `leaves_of`.
  std::vector<ByteRange> ranges_of(std::span<const int> some, int group,
                                   const std::vector<std::vector<int>>& leaves_of) const;
  /// Implements LevelTable::decode() with bytes that were fetched, or with the file.
  std::shared_ptr<arrow::Array> decode(int column, int group, const std::shared_ptr<const ByteSource>& bytes) const;
  /// Decodes several columns, as far as they can be decoded.
  void decode_into(Arrays& out, std::span<const int> some, int group,
                   const std::shared_ptr<const ByteSource>& bytes) const;
  std::shared_ptr<arrow::Array> decode_any(int column, int group, const std::shared_ptr<const ByteSource>& bytes) const;
  /// True for a column of this type that is no list, nor part of a structure, and stored as `stored_as`.
  bool is_flat(int column, std::string_view type, parquet::Type::type stored_as) const;
  bool is_flat_text(int column) const;
  bool is_flat_integer(int column) const;
  bool is_small() const;
  std::shared_ptr<arrow::Array> small_array(int column) const;
  parquet::arrow::FileReader& open_reader(const std::shared_ptr<const ByteSource>& bytes) const;
  void forget_reader() const;
  bool stores_same(int column, const Impl& other, int other_column) const;
  /// The bytes of a chunk of a small table, which is in memory; else empty.
  std::span<const std::byte> bytes_of(const parquet::ColumnChunkMetaData& chunk) const;
};

}  // namespace tacore
