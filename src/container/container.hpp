#pragma once

#include <atomic>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "format/names.hpp"
#include "io/byte_source.hpp"
#include "table/level_table.hpp"
#include "tacore/collection.hpp"
#include "tacore/pit_schema.hpp"
#include "tacore/types.hpp"
#include "tacore/write/parquet_options.hpp"

namespace tacore {

class TiffIndexFile;

/// Rows [begin, begin + count) of a level.
struct RowRange {
  int64_t begin = 0;
  int64_t count = 0;
};

/// The location of the data of a row.
struct RowAddress {
  std::string id = {};
  SampleType type = SampleType::File;
  std::optional<int64_t> offset = {};  ///< in a ZIP and TACOCAT only
  std::optional<int64_t> size = {};
  std::string source_file = {};    ///< in a TACOCAT only: the name of the ZIP
  std::string relative_path = {};  ///< from DATA/, without a slash at the end
  bool is_proved = false;          ///< the ZIP itself has confirmed offset and size, not only a level table
};

/// The address that the columns of a LevelTable, or of the rows of a query, state. Does not read type and
/// relative_path.
template <class Table>
RowAddress stored_address(const Table& table, int64_t row) {
  const auto text = [&](std::string_view name) {
    const int column = table.find(name);
    return column < 0 ? std::string() : table.text(column, row).value_or("");
  };
  const auto integer = [&](std::string_view name) {
    const int column = table.find(name);
    return column < 0 ? std::nullopt : table.integer(column, row);
  };
  return {.id = text(names::kId),
          .offset = integer(names::kOffset),
          .size = integer(names::kSize),
          .source_file = text(names::kSourceFile)};
}

/// An open dataset file or folder: the collection, the levels, and the locations of samples. Immutable; safe from
/// several threads. It runs no queries.
class Container {
 public:
  virtual ~Container();

  virtual Format format() const noexcept = 0;
  /// The path as the user wrote it.
  const std::string& path() const noexcept { return path_; }
  /// COLLECTION as it is stored: before 2.0 it does not contain the tree, which tree() returns.
  const Collection& collection() const noexcept { return collection_; }
  /// taco:pit_schema; before 2.0 derived from samples of the file, at the first call. Each call throws what reading
  /// them throws.
  const PitSchema& tree() const;

  /// The number of levels; that of the tree where the container does not list its tables. Throws as tree() then.
  int num_levels() const;
  /// A level as it is stored: ids, types and parents are right, offsets of some published files are not.
  const std::shared_ptr<const LevelTable>& stored_level(int level) const;
  /// A level with verified offsets: they are compared with the central directories, once, and replaced where they
  /// differ. Where that would take too many requests to a server, the level as it is stored, with a warning.
  std::shared_ptr<const LevelTable> level(int level) const;
  /// level() if that was called already, else stored_level(): for readers of all columns but offsets.
  std::shared_ptr<const LevelTable> known_level(int level) const;

  /// True where ids are file names, which must not lead out of their folder. Otherwise ids may be any text.
  bool names_files() const noexcept { return !is_v1(format()); }
  /// The address of a row as known_level() has it. Throws FormatError for an id that leads out of its folder.
  RowAddress address(int level, int64_t row) const;
  /// The address with offset and size verified by the ZIP itself. Throws FormatError when the ZIP has no such sample.
  virtual RowAddress proved(RowAddress row) const { return row; }

  /// The path under which GDAL opens the data of a FILE or the `__meta__` of a FOLDER. The address is not verified: see
  /// proved(). Throws NavigationError when the address lacks a part. Not for padding.
  virtual std::string vsi_path(const RowAddress& row) const = 0;
  /// vsi_path() as an SQL expression over the columns of a level.
  virtual std::string vsi_sql(int level) const = 0;
  /// The bytes of a FILE; in a ZIP each read is verified (open_sample()), unless load() was called with verify = false.
  virtual std::shared_ptr<const ByteSource> open_data(const RowAddress& row) const = 0;
  /// The `__meta__` of a FOLDER at `level`, verified as the bytes of a FILE. Throws NavigationError or IoError.
  virtual std::shared_ptr<const LevelTable> open_meta(const RowAddress& row, int level) const = 0;
  /// open_meta() with a cache of the last few tables, so that reading a folder again takes no request.
  std::shared_ptr<const LevelTable> meta(const RowAddress& row, int level) const;

  /// The size of the file, where the dataset is one file; no request is made for it.
  virtual std::optional<uint64_t> file_size() const { return std::nullopt; }
  /// A text that identifies this version of the file, beside COLLECTION.json and the levels; "" when there is none.
  virtual std::string file_version() const { return {}; }

  /// The storage that opens its files; nullptr before look_for_headers().
  const std::shared_ptr<const Storage>& storage() const noexcept { return storage_; }
  /// False where its bytes are read over a network.
  bool is_local() const { return stored_level(0)->is_local(); }

  /// Sets the path of the TIFF index (tiff_index_file.hpp). Call it before the container is shared.
  void look_for_headers(std::shared_ptr<const Storage> storage, std::string path);
  /// The TIFF index, opened at the first call; nullptr when there is none for this dataset. Throws as
  /// TiffIndexFile::open, each time.
  const TiffIndexFile* headers() const;

  /// The children of a FOLDER in the level below, where computed_children() can compute them without its `__meta__`.
  virtual std::optional<RowRange> children(int level, int64_t row) const;

  /// Lets sidecar() look for side-cars of the dataset at `path`; `trust`: also for one that nothing proves here. Call
  /// it before the container is shared, after look_for_headers().
  void look_for_sidecars(std::string path, bool trust);
  /// The side-car of a level (table/sidecar_table.hpp), opened at the first call; nullptr when there is none for this
  /// level as it is stored. Throws IoError, each time.
  std::shared_ptr<const LevelTable> sidecar(int level) const;

  /// The first and the last internal:parent_id in a row group of `level`, of each source file in an index and of ""
  /// else; nullopt unless the rows of each source file are consecutive there, and their parents never descend. Computed
  /// once.
  using ParentRuns = std::map<std::string, std::pair<int64_t, int64_t>, std::less<>>;
  const std::optional<ParentRuns>& parent_runs(int level, int group) const;
  /// The row groups of `level` of an index that may have rows of a source file, by the statistics. Computed once.
  const std::vector<int>& groups_of_source(int level, const std::string& file) const;
  /// The first row of a source file in `level` of an index; nullopt where it has none. Computed once.
  std::optional<int64_t> first_row_of_source(int level, const std::string& file) const;
  /// Whether computed_children() found the children of the last row of `level` by its row in the ZIP, and not by its
  /// row in the index. It sets this, as a guess for the next row.
  std::atomic<bool>& is_in_own_order(int level) const;
  /// The smallest and the largest internal:parent_id of each row group of `level`, as its footer has them.
  using Bounds = std::optional<std::pair<int64_t, int64_t>>;
  const std::vector<Bounds>& parent_bounds(int level) const;

  /// The path of a row from DATA/, without a slash at the end: from its column, else through its parents.
  std::string relative_path(int level, int64_t row) const;
  /// The internal:current_id of a row, which its children have as internal:parent_id. In files of before December 2025,
  /// which have no such column, it is the row number; in an index, the number among the rows of the source file.
  std::optional<int64_t> current_id(int level, int64_t row) const;
  /// The row of `level` whose current_id() is `current_id`; the row `near` is tried first.
  int64_t row_of(int level, int64_t current_id, int64_t near) const;

 protected:
  Container(std::string path, Collection collection, std::vector<std::shared_ptr<const LevelTable>> levels);
  /// Adds levels that assemble() opens. For constructors.
  void add_levels(int count);
  /// Adds as many levels as find_tree() will find, for assemble() to open.
  void add_levels_of_tree();
  /// The result of tree(), computed once.
  virtual PitSchema find_tree() const;
  /// The result of level(): a copy with correct offsets, or nullptr for the stored level. `is_proved` is set to false
  /// when the offsets could not be verified.
  virtual std::shared_ptr<const LevelTable> repair(int level, bool& is_proved) const;
  /// Opens a level that was nullptr in the constructor, at the first use.
  virtual std::shared_ptr<const LevelTable> assemble(int level) const;
  /// True once a level is open. Opens nothing.
  bool is_assembled(int level) const;
  /// The `__meta__` in `source`: a small one is read whole, so that its rows take no more requests.
  static std::shared_ptr<const LevelTable> open_meta_table(std::shared_ptr<const ByteSource> source,
                                                           const ErrorContext& where);
  /// vsi_sql() where a FILE is a range of a file. `root`: the SQL of a comma and the GDAL path of that file.
  static std::string subfile_sql(const std::string& root);
  ErrorContext where(int level) const { return {.path = path_, .offset = {}, .level = level}; }

 private:
  struct Proof {
    std::mutex mutex;
    std::shared_ptr<const LevelTable> level;
    bool is_proved = true;  ///< once there is a level
    std::once_flag bounded = {};
    std::vector<Bounds> bounds = {};                                   ///< the result of parent_bounds()
    std::map<int, std::optional<ParentRuns>> runs = {};                ///< results of parent_runs(), by row group
    std::map<std::string, std::vector<int>> source_groups = {};        ///< results of groups_of_source()
    std::map<std::string, std::optional<int64_t>> source_firsts = {};  ///< results of first_row_of_source()
    std::atomic<bool> is_in_own_order = false;
    std::once_flag numbered = {};
    std::vector<int64_t> numbers = {};  ///< of each row among the rows of its source file
    std::once_flag sidecar_found = {};
    std::shared_ptr<const LevelTable> sidecar = {};
    std::once_flag assembled = {};
    std::atomic<bool> is_there = false;
  };

  std::string path_;
  Collection collection_;
  bool has_levels_of_tree_ = false;
  mutable std::once_flag tree_found_ = {};
  mutable PitSchema tree_ = {};
  mutable std::vector<std::shared_ptr<const LevelTable>> levels_;  ///< nullptr until it is assembled, or if missing
  mutable std::vector<std::unique_ptr<Proof>> proofs_;
  std::shared_ptr<const Storage> storage_ = {};
  std::string headers_path_ = {}, sidecars_path_ = {};
  bool trusts_sidecars_ = false;
  mutable std::once_flag headers_opened_ = {};
  mutable std::shared_ptr<const TiffIndexFile> headers_ = {};
  mutable std::mutex metas_mutex_;
  mutable std::list<std::pair<std::string, std::shared_ptr<const LevelTable>>>
      metas_;  ///< by source file and path, last used first
};

/// FILE or FOLDER of a row. Throws FormatError for anything else.
SampleType sample_type(const LevelTable& level, int64_t row);

/// `options`, also with the bounding boxes and the id index that the levels have: for tables that take their place.
ParquetOptions with_indexes_of(const Container& container, ParquetOptions options);

/// Throws FormatError when the tree of the collection is deeper than the number of level tables, or there are none.
void check_levels(const Collection& collection, std::size_t num_levels, const std::string& path);

/// `file` with the ranges that opening a dataset needs prefetched in one read: `collection`, and the footer of each of
/// `levels`; of a remote file whose levels are small, the whole levels: then rows take no more requests.
std::shared_ptr<const ByteSource> with_metadata(std::shared_ptr<const ByteSource> file, ByteRange collection,
                                                std::span<const ByteRange> levels);

}  // namespace tacore
