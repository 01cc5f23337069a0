#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tacore/task.hpp"
#include "tacore/visibility.hpp"
#include "tacore/write/parquet_options.hpp"

namespace tacore {

/// The changes that edit() makes. Ids, types and the tree cannot be changed, since other files refer to them.
///
///     edit("chips.tacozip", {.set = {{"title", "\"Chips\""}}, .columns = {"clouds.csv"}});
struct Edit {
  /// Members of COLLECTION.json to set, with their new values as JSON text: `{"title", "\"Chips\""}`. When a member is
  /// set twice, the last value counts. `id`, `taco_version`, `taco:pit_schema`, `taco:field_schema` and `taco:sources`
  /// cannot be set.
  std::vector<std::pair<std::string, std::string>> set = {};
  /// Members of COLLECTION.json to remove.
  std::vector<std::string> unset = {};
  int level = 0;  ///< level of the columns in `drop` and `columns`
  /// Metadata columns to remove, before `columns` are added; a removed column that is added again needs a value for
  /// every sample.
  std::vector<std::string> drop = {};
  /// Tables (`.parquet`, `.csv`, `.jsonl`) whose columns become metadata: they replace columns of the same name, and
  /// others are appended. Column `id` is the id of the sample, below level 0 its path of ids (`tile/band`); a column
  /// `internal:relative_path` is used instead where it exists. Samples that are not listed, or whose JSON line lacks
  /// the key, keep their value, or have null in a new column; padding has null. A column may have integers in one table
  /// and real numbers in another.
  std::vector<std::string> columns = {};
};

/// Options of edit().
struct EditOptions {
  Task task = {};
  ParquetOptions parquet = {};  ///< of the tables that are written anew
  /// Folder for the unfinished dataset, on the same file system; "": the parent folder of the dataset.
  std::string temp_dir = {};
};

/// Edits the metadata of the dataset at `path` atomically: after any failure, `path` is the old dataset or the complete
/// new one, flushed to disk. Programs that have the old dataset open can still read it. The data of samples is neither
/// read nor changed. The extent does not change unless it is set.
///
/// A ZIP is never changed in place: a new file is written, which shares disk blocks with the old one up to the first
/// changed byte where the file system supports it, and copies them elsewhere. For a FOLDER, COLLECTION.json is
/// replaced; when columns change, the whole folder is replaced by one with hard links to the same data (or copies). For
/// `.tacocat/` and TACOLLECTION.json only the collection can be edited, not columns.
///
/// For a Tortilla or TACO 0.2.0, the columns of level 0 can be edited, for a TACO the collection too; data is kept as
/// in a ZIP. A set of several partitions is edited as one when any of them is given: all are replaced, or none.
/// `tortilla:` columns other than `tortilla:data_split` cannot be changed. Pre-existing rule violations are ignored.
///
/// Throws ValidationError, before anything is written, when nothing would change, when a change is not allowed, when
/// the collection would break rules of create() (the message lists all of them), and for invalid `parquet` or
/// `temp_dir`; SchemaError for a column that does not exist or is not allowed, and for a sample that a table lists
/// twice or that the dataset does not have; FormatError for files that cannot be read; IoError, also when `progress`
/// returned false or another process replaced the dataset meanwhile.
TACORE_EXPORT void edit(const std::string& path, const Edit& edit, const EditOptions& options = {});

}  // namespace tacore
