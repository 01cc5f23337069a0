#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tacore/task.hpp"
#include "tacore/visibility.hpp"
#include "tacore/write/parquet_options.hpp"

namespace tacore {

/// Options of create_tacocat().
struct TacocatOptions {
  Task task = {};  ///< progress counts bytes of metadata; the total grows while inputs are opened
  /// An existing folder in which the index is written; "": the parent folder of the inputs, when all have the same.
  std::string output = {};
  /// Require the same columns in all inputs, of the same types, in any order. false: the index has the columns of all
  /// inputs, null where an input lacks one; where integers and real numbers meet, the type holds both. Such an index
  /// breaks rule CAT-7.
  bool validate_schema = true;
  /// Write the single file `__TACOCAT__` instead of `.tacocat/`. Published readers no longer open it.
  bool single_file = false;
  /// Order of the rows of level 0: `hilbert` along a Hilbert curve through their locations, so that neighbours on the
  /// globe are neighbours in the table, with bounding boxes (`ParquetOptions::covering`); `time` by acquisition time;
  /// "": ZIP by ZIP. Deeper levels stay ZIP by ZIP: the children of a sample are found where its ZIP has them.
  std::string order = {};
  bool overwrite = false;  ///< replace an existing index atomically
  ParquetOptions parquet = {};
};

/// Writes a TACOCAT index, through which many TACO ZIPs open as one dataset: the folder `.tacocat` in `output`, with
/// the rows of all `inputs`, level by level, in the order of `inputs` or in `order`, and their merged collections.
/// Samples stay in the ZIPs. Returns the path of the index.
///
///     const std::string index = create_tacocat({"chips/2023.tacozip", "chips/2024.tacozip"});
///     const Dataset all = load(index);
///
/// With `order`, a filter by place or time reads few pages of an index, however its samples are spread over the ZIPs.
/// The row numbers of the dataset are those of the index then. Making it takes up to 0.8 GB of memory, and 40
/// bytes for each sample, since it copies level 0: in memory, and beyond 256 MiB in an anonymous temporary file in
/// TMPDIR. Samples without a location or time are last; a warning says how many.
///
/// Rows name their ZIP by its file name alone: readers look for it beside the index, or in `LoadOptions::base_path`; a
/// warning says when an input is elsewhere. Columns are `id`, `type`, those of the first input in its order, further
/// ones in the order of occurrence, `internal:*`, and last `internal:source_file`. The collection is that of the first
/// input, with the counts and extents of all inputs, and `taco:sources`. Extents are computed from the rows as by
/// create(); where rows have no location or time, the extent of the input counts. Offsets that published writers
/// permuted are corrected.
///
/// The index is written under a temporary name, flushed to disk and renamed. The same inputs give the same bytes,
/// whatever the number of threads. Memory holds a few row groups, and a few files are open at a time. Each remote input
/// is opened once and its tables are read in one request; they are buffered in memory, and beyond 256 MiB in an
/// anonymous temporary file in TMPDIR.
///
/// Throws ValidationError, before anything is written, for no inputs or no samples in them, inputs in several folders
/// without `output`, two inputs of one name, a repeated input, an input that is a FOLDER or an index, an existing index
/// (unless `overwrite`), an `order` of ZIPs without internal:current_id that have children, and invalid `order` or
/// `parquet` options; SchemaError, with file, level and types, for columns or trees
/// that differ; IoError and FormatError for an input that cannot be read or is not a dataset. Later it throws IoError
/// when the index cannot be written or `progress` returned false, and FormatError for damaged values.
TACORE_EXPORT std::string create_tacocat(const std::vector<std::string>& inputs, const TacocatOptions& options = {});

/// Options of create_tacollection(), with the meaning that they have in TacocatOptions. Without `validate_schema`, the
/// field schema is that of all inputs.
struct TacollectionOptions {
  Task task = {};
  std::string output = {};
  bool validate_schema = true;
  /// Also state, for each input, the number of rows of each level, and the bounds of ids, of geometries and of times:
  /// filters by place, time and id then open only the inputs that may have such rows, row numbers lead to one input,
  /// and a dataset of a thousand inputs opens as fast as one. Requires `validate_schema`, and the same internal
  /// columns. All ids, geometries and times are read. That the bounds are right is remembered in the user's cache for
  /// local inputs, until one changes; other users and machines prove it by validate(), or set
  /// LoadOptions::trust_bounds.
  bool bounds = false;
  bool overwrite = false;
};

/// Writes `TACOLLECTION.json` in `output`: a catalogue with the merged collections of many TACO ZIPs and FOLDERs, which
/// load() opens as one dataset. Returns its path. Each input is named relative to `output`. When an input lies outside
/// of `output`, all are named relative to their common parent folder, and a warning names that folder for
/// `LoadOptions::base_path`. Throws as create_tacocat(), but FOLDERs are allowed.
TACORE_EXPORT std::string create_tacollection(const std::vector<std::string>& inputs,
                                              const TacollectionOptions& options = {});

}  // namespace tacore
