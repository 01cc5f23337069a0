#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tacore/task.hpp"
#include "tacore/visibility.hpp"
#include "tacore/write/parquet_options.hpp"

namespace tacore {

struct TacocatOptions {
  Task task = {};  ///< the unit of its progress is bytes of metadata, whose total grows while inputs are opened
  std::string output = {};  ///< folder of the index, which is there; "": the one folder that all inputs are in
  /// All inputs have the same columns, in any order, of the same types. false: an index has the columns of all, null
  /// where an input has none, integers and reals in a type that holds both; such an index breaks rule CAT-7.
  bool validate_schema = true;
  bool single_file = false;  ///< the file `__TACOCAT__` (§6.5), which published readers do not open any more
  bool overwrite = false;    ///< replace an index that is there, in one step
  ParquetOptions parquet = {};
};

/// Writes an index over TACO ZIPs (§6.5, §7.1.3): their rows joined, level by level, in the order of `inputs`, and
/// their collections merged, as the folder `.tacocat` in `output`. Samples stay where they are. Rows name their ZIP by
/// its file name alone: readers look for it beside the index, or in `LoadOptions::base_path`; where an input is
/// elsewhere, a warning says so. Returns the path of the index, which appears whole and synced, or not at all. A few
/// row groups are in memory, and a few files open, at a time. The same inputs give the same bytes, whatever the number
/// of threads.
///
/// Columns are `id`, `type`, those of the first input in its order, new ones as they come, `internal:*`, and last
/// `internal:source_file`. The collection is that of the first input, with counts and extents of all, and
/// `taco:sources`. Extents are those of the rows, as create() finds them; only where rows say none, what the input
/// does. Offsets that published writers permuted are written right. Each remote input is opened once and its tables
/// come in one request; until they are written they are held in memory, or, beyond 256 MiB, in a file without name in
/// TMPDIR.
///
/// Throws, before anything is written, ValidationError: no inputs, or no samples in them; inputs in several folders and
/// no `output`; two inputs of one name, or one file twice; an input that is a FOLDER or an index; an index that is
/// there, unless `overwrite`; `parquet` that makes no sense. SchemaError, with file, level and types: columns or trees
/// that differ. IoError and FormatError: an input that cannot be read, or is no dataset. Then IoError when the index
/// cannot be written or `progress` returned false, FormatError for values that are damaged.
TACORE_EXPORT std::string create_tacocat(const std::vector<std::string>& inputs, const TacocatOptions& options = {});

/// As in TacocatOptions. Without `validate_schema`, the field schema is that of all.
struct TacollectionOptions {
  Task task = {};
  std::string output = {};
  bool validate_schema = true;
  bool overwrite = false;
};

/// Writes `TACOLLECTION.json` (§6.6, §7.1.3) in `output`: the collections of TACO ZIPs and FOLDERs merged as above,
/// each input named relative to `output`. load() opens it as one dataset. Where an input lies outside `output`, all are
/// named relative to the folder that they have in common, and a warning names it for `LoadOptions::base_path`. Errors
/// are as above.
TACORE_EXPORT std::string create_tacollection(const std::vector<std::string>& inputs,
                                              const TacollectionOptions& options = {});

}  // namespace tacore
