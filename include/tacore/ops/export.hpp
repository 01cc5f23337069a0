#pragma once

#include <string>
#include <vector>

#include "tacore/write/create.hpp"
#include "tacore/dataset.hpp"
#include "tacore/visibility.hpp"

/// One dataset made of another (§7.1.3, §7.1.4).
namespace tacore {

/// The samples of a view, to be written again: what its filters and queries show, in their order, with all their
/// descendants that read() shows, and their metadata, columns that a query added included. Offsets are proved; the
/// bytes stay in their containers until create() copies them, and those from a ZIP are held against its CRC-32s on the
/// way. Of padding nothing stays; where FOLDERs at one position are left with different children, padding fills in, or,
/// with `strict`, SchemaError tells which they are. Two roots of one id, of a concatenation: the second is `ID_2`, with
/// a warning.
///
/// The collection is that of the dataset, with `taco:subset_of`, its id or a list of the ids of several, and
/// `taco:subset_date`, now (UTC; SOURCE_DATE_EPOCH where it is set). Extent, tree and field schema are those of the
/// samples, as create() finds them; of places or times that no sample states, the extent is that of the dataset.
///
/// Throws QueryError for a view without rows; NavigationError for one whose queries lost the rows' places (`SELECT *`
/// keeps them), used deeper levels or repeat a sample; SchemaError for columns that are no metadata; IoError and
/// FormatError for what cannot be read.
TACORE_EXPORT Taco to_taco(const Dataset& dataset, bool strict = false);

struct ExportOptions {
  CreateOptions create = {};
  bool strict = false;  ///< as for to_taco()
  std::string id = {};  ///< of the new dataset; "": as it was
};

/// Writes what a view shows as a dataset of its own: create() of to_taco(). Nothing is copied twice. Returns the
/// containers.
TACORE_EXPORT std::vector<std::string> export_dataset(const Dataset& dataset, const std::string& output,
                                                      const ExportOptions& options = {});

/// Writes the dataset at `input` into the other container: a ZIP as a FOLDER, a FOLDER as a ZIP. Every byte of its
/// samples, their metadata, padding and COLLECTION.json stay as they are; offsets that `input` has wrong come out
/// right, and an extent that leaves out samples becomes that of all of them, with a warning. `output` is a ZIP where its name says so, as for create(). A ZIP is extracted by the rules of create(): no
/// sample leaves the folder, and none replaces another; and only where all tools see the same in it: FormatError for an
/// error of ZIP-* (docs/rules.md). Throws what load() and create() throw, and ValidationError when `input` is an index
/// or both are of one kind. Where one is of a version before 2.0: v1::convert() of both.
TACORE_EXPORT void convert(const std::string& input, const std::string& output, const CreateOptions& options = {});
/// convert(), with errors when `zip` or `folder` is something else (§7.1.4).
TACORE_EXPORT void zip2folder(const std::string& zip, const std::string& folder, const CreateOptions& options = {});
TACORE_EXPORT void folder2zip(const std::string& folder, const std::string& zip, const CreateOptions& options = {});

}  // namespace tacore
