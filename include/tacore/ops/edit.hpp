#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "tacore/visibility.hpp"
#include "tacore/write/parquet_options.hpp"

namespace tacore {

/// The changes of edit(). Ids, types and the tree cannot change, since other files refer to them.
struct Edit {
  /// Members of COLLECTION.json (§5.4) and their new values as JSON text, `{"title", "\"Chips\""}`; of several for one
  /// member the last counts. Not `id`, `taco_version`, `taco:pit_schema`, `taco:field_schema`, `taco:sources`.
  std::vector<std::pair<std::string, std::string>> set = {};
  /// Members that go.
  std::vector<std::string> unset = {};
  int level = 0;  ///< of the columns below
  /// Columns of metadata that go, before others come; one that comes again gets a value for every sample.
  std::vector<std::string> drop = {};
  /// Tables (`.parquet`, `.csv`, `.jsonl`) whose columns become metadata, in the place of those of the same name or
  /// behind the others. `id` says which sample a row is, below level 0 by its path, `tile/band`; a column
  /// `internal:relative_path` does so instead where there is one. Samples that are not listed, or whose line of JSON
  /// lacks the key, keep their value, null in a new column; padding has null. Columns of a level may be whole numbers
  /// in one place and real ones in the other.
  std::vector<std::string> columns = {};
};

struct EditOptions {
  int jobs = 0;                 ///< threads that encode; 0: one for each processor
  ParquetOptions parquet = {};  ///< of the tables that change
  /// The folder, on the file system of the dataset, where the new one is until it is whole; "": beside the dataset.
  std::string temp_dir = {};
  /// Called now and then with how many of `num_bytes` are copied or shared. false stops the work.
  bool (*progress)(uint64_t num_done, uint64_t num_bytes, void* user) = nullptr;
  void* user = nullptr;
};

/// Edits the dataset at `path` in one step: whatever happens, the old one is there, or the new one, whole and synced.
/// Programs that have the old one open go on reading it. Data is neither read nor changed. The extent stays what it is
/// unless it is set.
///
/// A ZIP is never changed in place (§6.3): the new one shares the blocks before the first byte that changes where the
/// file system can, and has a copy of them elsewhere. Of a FOLDER (§6.4) COLLECTION.json is replaced; when columns
/// change, the whole folder is, by one with hard links to the same data (copies where there can be none). Of
/// `.tacocat/` and TACOLLECTION.json (§6.5, §6.6) the collection can be edited, columns cannot.
///
/// Of a Tortilla or TACO 0.2.0 the columns of level 0 can be edited, of a TACO the collection too; data is kept as that
/// of a ZIP. A set of several files is edited as one, by any of them: all take the places of the old ones, or none.
/// `tortilla:` columns but `tortilla:data_split` stay. Pre-existing rule violations are ignored.
///
/// Throws ValidationError before anything is written: nothing or something else than the above is to change, the
/// collection would break a rule of create() (all are told), `parquet` or `temp_dir` makes no sense. SchemaError for a
/// column that is not there or may not be, and for a sample that a table lists twice or the dataset has not.
/// FormatError for what cannot be read. IoError, also when it was stopped, or when the dataset was replaced meanwhile.
TACORE_EXPORT void edit(const std::string& path, const Edit& edit, const EditOptions& options = {});

}  // namespace tacore
