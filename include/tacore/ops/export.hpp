#pragma once

#include <string>
#include <vector>

#include "tacore/dataset.hpp"
#include "tacore/visibility.hpp"
#include "tacore/write/create.hpp"

/// Export and conversion of datasets.
namespace tacore {

/// Makes input for create() of a dataset: the rows that its filters and queries give, in their order, with the
/// descendants that read() shows and all metadata, including columns that queries add. The bytes are read when create()
/// copies them, from verified offsets, and those of a ZIP are verified against its CRC-32. Padding is dropped; where
/// FOLDERs at one position then have different children, new padding is added, or, with `strict`, SchemaError names
/// them. When a concatenation has two roots with the same id, the second becomes `ID_2`, with a warning.
///
/// The collection is that of the dataset, with `taco:subset_of` (its id, or a list of the ids of several) and
/// `taco:subset_date` (the current time in UTC, or SOURCE_DATE_EPOCH). create() computes extent, tree and field schema;
/// where no sample has a location or time, that part of the extent is that of the dataset.
///
/// Throws QueryError for a dataset without rows; NavigationError when a query dropped the columns that locate the data
/// (`SELECT *` keeps them), used deeper levels or repeats a sample; SchemaError for columns that are not valid
/// metadata; IoError and FormatError for files that cannot be read.
TACORE_EXPORT Taco to_taco(const Dataset& dataset, bool strict = false);

/// Options of export_dataset().
struct ExportOptions {
  CreateOptions create = {};
  bool strict = false;  ///< as for to_taco()
  std::string id = {};  ///< id of the new dataset; "": that of the old one
  /// Record in COLLECTION.json, as `taco:provenance`, what the export is made of and how, so that replay_export() makes
  /// the same bytes: the sources with a SHA-256 of their metadata, for which their level tables are read whole;
  /// filters, queries and options (docs/format.md). The entries of a ZIP then have the time of the export.
  bool provenance = false;
};

/// Writes the rows of a dataset as a new dataset: create() of to_taco(), or, when the name of `output` ends in `.taco`
/// or `.tortilla`, v1::compile(). Returns the paths of the containers. Throws what these functions throw;
/// ValidationError for `id`, `group_by`, `strict`, `order`, `covering` and `provenance` with a `.taco` or `.tortilla`,
/// which do not support them, and with `provenance` for what cannot be done again: rows of a DataFrame, a
/// TACOLLECTION.json, random() and now(), a query that leaves the order of rows open.
///
///     export_dataset(load("chips.tacozip").filter_bbox(-77, -13, -76, -11), "lima.tacozip");
TACORE_EXPORT std::vector<std::string> export_dataset(const Dataset& dataset, const std::string& output,
                                                      const ExportOptions& options = {});

/// Converts the dataset at `input` to another container or version. The name of `output` decides which: `.tacozip`,
/// `.zip`, `.taco`, `.tortilla`, else a FOLDER. The bytes of samples do not change. Returns the paths of the files or
/// of the folder.
///
///     convert("chips.tacozip", "chips");    // a ZIP to a FOLDER
///     convert("old.tortilla", "new.tacozip", {}, {.description = "Landsat chips"});
///
/// Between a ZIP and a FOLDER, metadata, padding and COLLECTION.json do not change either; wrong offsets are corrected,
/// and an extent that does not contain all samples is computed again, with a warning. A ZIP is extracted safely: no
/// sample is written outside of the folder, and none replaces another. FormatError is thrown for a ZIP in which other
/// tools could see other files (an error of the rules ZIP-*, docs/rules.md).
///
/// Between 2.0 and the versions before it, metadata gets the names and types of the other version (docs/format.md, "v1
/// and v2"). Partitions are joined; `options.split_size`, when set, splits the output. Nested Tortillas become FOLDERs.
/// For 2.0, samples whose children differ are padded, ids that 2.0 does not allow are replaced and kept in a column,
/// and more than six levels are refused. `collection` replaces that of the input: all of it when it has `json`, else
/// the members that are set. Members that 2.0 requires and neither
/// collection has are filled in, with a warning: the file name as id, version 1.0.0, unknown description, licence and
/// provider, task other.
///
/// Throws what load() and create() throw; ValidationError when `input` is an index, when input and output have the same
/// container and version, and for options that the conversion does not use: a collection between a ZIP and a FOLDER and
/// for `.tortilla`, which has none, `split_size` between a ZIP and a FOLDER, `group_by` unless a version before 2.0
/// becomes 2.0; SchemaError with the first differences when padding cannot make a valid tree.
TACORE_EXPORT std::vector<std::string> convert(const std::string& input, const std::string& output,
                                               const CreateOptions& options = {}, const Collection& collection = {});
/// Converts a ZIP to a FOLDER. Throws as convert(), and ValidationError when `folder` is the name of a ZIP.
TACORE_EXPORT void zip2folder(const std::string& zip, const std::string& folder, const CreateOptions& options = {});
/// Converts a FOLDER to a ZIP. Throws as convert(), and ValidationError when `zip` is not the name of a ZIP.
TACORE_EXPORT void folder2zip(const std::string& folder, const std::string& zip, const CreateOptions& options = {});

}  // namespace tacore
