#pragma once

#include <string>
#include <vector>

#include "tacore/dataset.hpp"
#include "tacore/visibility.hpp"
#include "tacore/write/create.hpp"

/// Export and conversion of datasets (§7.1.3, §7.1.4).
namespace tacore {

/// The samples of a dataset as input of create(): the rows that its filters and queries give, in their order, with the
/// descendants that read() shows and all metadata, columns of queries included. The bytes are read when create() copies
/// them, from verified offsets, and those of a ZIP are verified against its CRC-32. Padding is dropped; where FOLDERs
/// at one position are left with different children new padding is added, or, with `strict`, SchemaError names them.
/// When a concatenation has two roots with one id the second becomes `ID_2`, with a warning.
///
/// The collection is that of the dataset, with `taco:subset_of` (its id, or a list of the ids of several) and
/// `taco:subset_date` (now in UTC, or SOURCE_DATE_EPOCH). create() computes extent, tree and field schema; where no
/// sample has a place or time, that part of the extent is that of the dataset.
///
/// Throws QueryError for a dataset without rows; NavigationError when a query dropped the columns that lead to the data
/// (`SELECT *` keeps them), used deeper levels or repeats a sample; SchemaError for columns that are no metadata;
/// IoError and FormatError for files that cannot be read.
TACORE_EXPORT Taco to_taco(const Dataset& dataset, bool strict = false);

struct ExportOptions {
  CreateOptions create = {};
  bool strict = false;  ///< as for to_taco()
  std::string id = {};  ///< of the new dataset; "": as it was
};

/// Writes the rows of a dataset as a dataset of its own, create() of to_taco(), or, where the name of `output` ends in
/// `.taco` or `.tortilla`, v1::compile(). Returns the paths of the containers. Throws ValidationError for an `id`,
/// groups and `strict` with a name of v1, which has none of these.
///
///     export_dataset(load("chips.tacozip").filter_bbox(-77, -13, -76, -11), "lima.tacozip");
TACORE_EXPORT std::vector<std::string> export_dataset(const Dataset& dataset, const std::string& output,
                                                      const ExportOptions& options = {});

/// Converts the dataset at `input` to another container or version, which the name of `output` says: `.tacozip`,
/// `.zip`,
/// `.taco`, `.tortilla`, else a FOLDER. No byte of a sample changes. Returns the files or the folder.
///
///     convert("chips.tacozip", "chips");    // a ZIP as a FOLDER
///     convert("old.tortilla", "new.tacozip", {}, {.description = "Landsat chips"});
///
/// From a ZIP to a FOLDER and back, metadata, padding and COLLECTION.json stay as they are too; wrong offsets are
/// repaired, and an extent that leaves out samples is computed anew, with a warning. A ZIP is extracted by the rules of
/// create(): no sample leaves the folder, and none replaces another; and only if all tools see the same files in it:
/// FormatError for an error of ZIP-* (docs/rules.md).
///
/// Between 2.0 and the versions before, metadata get the names and types of the other version (docs/format.md, "v1 and
/// v2"). Partitions are joined; `options.split_size`, when set, splits anew. Nested Tortillas become FOLDERs; for 2.0,
/// samples of different shapes are padded, ids that 2.0 does not allow are replaced and kept in a column, and more than
/// six levels are refused. `collection` replaces that of the input: all of it when it has `json`, else the members that
/// are set. Members that 2.0 requires and nothing states are filled in, with
/// a warning: id by the name of the file, version 1.0.0, a description, licence and provider unknown, task other.
///
/// Throws what load() and create() throw; ValidationError when `input` is an index, or both have one container and
/// version, and for options that the conversion does not use: a collection between a ZIP and a FOLDER and for
/// `.tortilla`, which has none, `split_size` between a ZIP and a FOLDER, `group_by` unless a version before 2.0 becomes
/// 2.0; SchemaError with the first differences when padding does not make a tree.
TACORE_EXPORT std::vector<std::string> convert(const std::string& input, const std::string& output,
                                               const CreateOptions& options = {}, const Collection& collection = {});
/// convert(), with errors when `zip` or `folder` is something else (§7.1.4).
TACORE_EXPORT void zip2folder(const std::string& zip, const std::string& folder, const CreateOptions& options = {});
TACORE_EXPORT void folder2zip(const std::string& folder, const std::string& zip, const CreateOptions& options = {});

}  // namespace tacore
