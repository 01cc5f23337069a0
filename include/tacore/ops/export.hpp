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

/// Writes the rows of a dataset as a dataset of its own: create() of to_taco(). Returns the paths of the containers.
///
///     export_dataset(load("chips.tacozip").filter_bbox(-77, -13, -76, -11), "lima.tacozip");
TACORE_EXPORT std::vector<std::string> export_dataset(const Dataset& dataset, const std::string& output,
                                                      const ExportOptions& options = {});

/// Writes the dataset at `input` into the other container: a ZIP as a FOLDER, a FOLDER as a ZIP. Every byte of its
/// samples, their metadata, padding and COLLECTION.json stay as they are; offsets that `input` has wrong come out
/// right, and an extent that leaves out samples becomes that of all of them, with a warning. `output` is a ZIP where
/// its name says so, as for create(). A ZIP is extracted by the rules of create(): no sample leaves the folder, and
/// none replaces another; and only where all tools see the same in it: FormatError for an error of ZIP-*
/// (docs/rules.md). Throws what load() and create() throw, and ValidationError when `input` is an index or both are of
/// one kind. Where one is of a version before 2.0: v1::convert() of both.
TACORE_EXPORT void convert(const std::string& input, const std::string& output, const CreateOptions& options = {});
/// convert(), with errors when `zip` or `folder` is something else (§7.1.4).
TACORE_EXPORT void zip2folder(const std::string& zip, const std::string& folder, const CreateOptions& options = {});
TACORE_EXPORT void folder2zip(const std::string& folder, const std::string& zip, const CreateOptions& options = {});

}  // namespace tacore
