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

#include "io/byte_source.hpp"
#include "table/level_table.hpp"
#include "tacore/collection.hpp"
#include "tacore/pit_schema.hpp"
#include "tacore/types.hpp"

namespace tacore {

class TiffIndexFile;

/// Rows [begin, begin + count) of a level.
struct RowRange {
  int64_t begin = 0;
  int64_t count = 0;
};

/// What leads from a row to its data.
struct RowAddress {
  std::string id = {};
  SampleType type = SampleType::File;
  std::optional<int64_t> offset = {};  ///< ZIP and TACOCAT
  std::optional<int64_t> size = {};
  std::string source_file = {};    ///< TACOCAT
  std::string relative_path = {};  ///< from DATA/, without a slash at the end
  bool is_proved = false;          ///< offset and size are what the ZIP says, not only what a table does
};

/// An open dataset file or folder: the collection, the levels, and where the data of a row lies. Immutable; safe from
/// several threads. Knows nothing of queries.
class Container {
 public:
  virtual ~Container();

  virtual Format format() const noexcept = 0;
  /// As the user wrote it.
  const std::string& path() const noexcept { return path_; }
  /// COLLECTION as it is stored: before 2.0 it says nothing of the tree, so ask tree().
  const Collection& collection() const noexcept { return collection_; }
  /// taco:pit_schema; before 2.0 what samples of the file show, looked at when it is first asked for. Throws as reading
  /// them does, each time.
  const PitSchema& tree() const;

  /// As many as the tree has where tables are not listed: throws as tree() then.
  int num_levels() const;
  /// A level as it is stored: ids, types and parents are right, offsets may not be (dossier 1.5).
  const std::shared_ptr<const LevelTable>& stored_level(int level) const;
  /// A level from which offsets may be handed out: compared with the central directories, and taken from them where they
  /// differ; done once. As it is stored, with a warning, where a server would have to be asked for too much.
  std::shared_ptr<const LevelTable> level(int level) const;
  /// The same if that has been done already, else stored_level(): for all other columns.
  std::shared_ptr<const LevelTable> known_level(int level) const;

  /// True where ids name files: then none may lead out of its folder. Else they may be any text.
  bool names_files() const noexcept { return !is_v1(format()); }
  /// The address of a row as known_level() has it. Throws FormatError for an id that leads out of its folder.
  RowAddress address(int level, int64_t row) const;
  /// The same with a place that is proved, by the ZIP itself. Throws FormatError where it has no such sample.
  virtual RowAddress proved(RowAddress row) const { return row; }

  /// What GDAL opens: the data of a FILE, the `__meta__` of a FOLDER; as the address says, which proved() proves. Throws
  /// NavigationError when the address lacks what it takes; padding never gets here.
  virtual std::string vsi_path(const RowAddress& row) const = 0;
  /// The same as an SQL expression over the columns of a level.
  virtual std::string vsi_sql(int level) const = 0;
  /// The bytes of a FILE; of a ZIP each read is proved (open_sample()), unless load() was told not to.
  virtual std::shared_ptr<const ByteSource> open_data(const RowAddress& row) const = 0;
  /// The `__meta__` of a FOLDER at `level`, proved likewise. Throws NavigationError or IoError.
  virtual std::shared_ptr<const LevelTable> open_meta(const RowAddress& row, int level) const = 0;
  /// The same; the last few stay open, so that reading a folder again costs nothing.
  std::shared_ptr<const LevelTable> meta(const RowAddress& row, int level) const;

  /// What tells this version of its file from others, beside COLLECTION.json and the levels; "" where nothing does.
  virtual std::string file_version() const { return {}; }

  /// What opens its files; nullptr before look_for_headers().
  const std::shared_ptr<const Storage>& storage() const noexcept { return storage_; }
  /// False where its bytes are asked for over a network.
  bool is_local() const { return stored_level(0)->is_local(); }

  /// Says where a file of headers may be (header_file.hpp). To be called before it is shared.
  void look_for_headers(std::shared_ptr<const Storage> storage, std::string path);
  /// That file, opened at the first call; nullptr when there is none for this dataset. Throws as TiffIndexFile::open, each
  /// time.
  const TiffIndexFile* headers() const;

  /// The children of a FOLDER in the level below, when they can be told without its `__meta__`: computed_children().
  virtual std::optional<RowRange> children(int level, int64_t row) const;

  /// True when internal:parent_id never descends in a row group of `level`, in an index within each source file, whose
  /// rows lie together: looked at once.
  bool parents_ascend(int level, int group) const;
  /// The smallest and the largest internal:parent_id of each row group of `level`, as its footer has them.
  using Bounds = std::optional<std::pair<int64_t, int64_t>>;
  const std::vector<Bounds>& parent_bounds(int level) const;

  /// The path of a row from DATA/, without a slash at the end: from its column, else through its parents.
  std::string relative_path(int level, int64_t row) const;
  /// What children of a row name in internal:parent_id: its internal:current_id. Before December 2025 there is none, and
  /// its row number stands for it, in an index that among the rows of its source file.
  std::optional<int64_t> current_id(int level, int64_t row) const;
  /// The row of `level` whose current_id() is `current_id`; `near` is looked at first.
  int64_t row_of(int level, int64_t current_id, int64_t near) const;

 protected:
  Container(std::string path, Collection collection, std::vector<std::shared_ptr<const LevelTable>> levels);
  /// Adds levels that assemble() makes. For constructors.
  void add_levels(int count);
  /// The same, as many as find_tree() will find.
  void add_levels_of_tree();
  /// What tree() gives, found once.
  virtual PitSchema find_tree() const;
  /// What level() gives: a copy with right offsets, or nullptr for the stored one. `is_proved` is set to false where it
  /// is not known whether they are.
  virtual std::shared_ptr<const LevelTable> repair(int level, bool& is_proved) const;
  /// A level that was nullptr in the constructor, made when it is first asked for.
  virtual std::shared_ptr<const LevelTable> assemble(int level) const;
  /// True once a level is there. Looks at nothing.
  bool is_assembled(int level) const;
  /// The `__meta__` in `source`: a small one arrives whole, in one request, so that its rows cost no more.
  static std::shared_ptr<const LevelTable> open_meta_table(std::shared_ptr<const ByteSource> source,
                                                           const ErrorContext& where);
  ErrorContext where(int level) const { return {.path = path_, .offset = {}, .level = level}; }

 private:
  struct Proof {
    std::mutex mutex;
    std::shared_ptr<const LevelTable> level;
    bool is_proved = true;                  ///< once there is a level
    std::once_flag bounded = {};
    std::vector<Bounds> bounds = {};        ///< what parent_bounds() gives
    std::map<int, bool> ascending = {};     ///< row groups that parents_ascend() has looked at
    std::once_flag numbered = {};
    std::vector<int64_t> numbers = {};      ///< of each row among those of its source file
    std::once_flag assembled = {};
    std::atomic<bool> is_there = false;
  };

  std::string path_;
  Collection collection_;
  bool has_levels_of_tree_ = false;
  mutable std::once_flag tree_found_ = {};
  mutable PitSchema tree_ = {};
  mutable std::vector<std::shared_ptr<const LevelTable>> levels_;  ///< nullptr until it is assembled, or for good
  mutable std::vector<std::unique_ptr<Proof>> proofs_;
  std::shared_ptr<const Storage> storage_ = {};
  std::string headers_path_ = {};
  mutable std::once_flag headers_opened_ = {};
  mutable std::shared_ptr<const TiffIndexFile> headers_ = {};
  mutable std::mutex metas_mutex_;
  mutable std::list<std::pair<std::string, std::shared_ptr<const LevelTable>>>
      metas_;  ///< by source file and path, last used first
};

/// FILE or FOLDER of a row. Throws FormatError for anything else.
SampleType sample_type(const LevelTable& level, int64_t row);

/// Refuses a collection whose tree is deeper than the levels that are there, and an empty list.
void check_levels(const Collection& collection, std::size_t num_levels, const std::string& path);

/// `file`, with what opening a dataset needs read at once: `collection`, and of each of `levels` the footer. Where a
/// server is asked and all of it is small, the whole levels: then rows cost no request more.
std::shared_ptr<const ByteSource> with_metadata(std::shared_ptr<const ByteSource> file, ByteRange collection,
                                                std::span<const ByteRange> levels);

}  // namespace tacore
