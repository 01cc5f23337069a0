#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "dataset/dataset_impl.hpp"
#include "tacore/dataset.hpp"
#include "tacore/ops/export.hpp"

/// What an export was made of, and how: the member `taco:provenance` of its COLLECTION.json (docs/format.md).
namespace tacore {

inline constexpr std::string_view kProvenanceMember = "taco:provenance";
inline constexpr std::string_view kSubsetDateMember = "taco:subset_date";

/// A dataset that an export was made of.
struct ProvenanceSource {
  std::string id = {};
  std::string dataset_version = {};
  std::string file = {};                        ///< its name, without folders
  std::optional<std::string> merkle_root = {};  ///< `taco:merkle_root`, where it states one
  std::string metadata_sha256 = {};             ///< of COLLECTION.json and the level tables

  bool operator==(const ProvenanceSource&) const = default;
};

/// A query as it was written.
struct SqlText {
  std::string text = {};
};
using SelectionStep = std::variant<SqlText, Filter, SortStep, LimitStep>;

/// Which samples were exported: those of a source, or of several joined selections, after these steps.
struct ProvenanceSelection {
  std::size_t source = 0;                       ///< without `parts`
  std::vector<ProvenanceSelection> parts = {};  ///< two or more
  bool fills_missing = false;                   ///< of `parts`: ColumnMode::FillMissing
  std::vector<SelectionStep> steps = {};
};

struct Provenance {
  std::string tool_version = {};
  std::vector<ProvenanceSource> sources = {};
  ProvenanceSelection selection = {};
  std::string output = {};     ///< name of the file or folder, without folders
  ExportOptions options = {};  ///< those that decide the bytes
};

/// What to_taco() writes of the export itself.
struct SubsetFacts {
  Timestamp date = {};
  std::string provenance = {};  ///< JSON; "": none
};

/// The facts of a source. Reads its level tables whole. Throws ValidationError for a TACOLLECTION.json, IoError.
ProvenanceSource describe_source(const Dataset& source);

/// The provenance of an export that is about to be made. Reads the level tables of all sources. Throws ValidationError
/// for what cannot be done again: rows of a DataFrame, a TACOLLECTION.json, queries whose rows, values or order may be
/// others the next time.
Provenance provenance_of(const Dataset& dataset, const std::string& output, const ExportOptions& options);

/// The JSON of a provenance, and the inverse. `path` is the export, for messages. Throws FormatError for another form,
/// ValidationError for one of another tool or version.
std::string encode_provenance(const Provenance& provenance);
Provenance parse_provenance(const std::string& json, const std::string& path);

/// The samples of these sources that the provenance states. Throws QueryError and SchemaError as the calls of Dataset.
Dataset select(const ProvenanceSelection& selection, const std::vector<Dataset>& sources);

/// export_dataset() with other facts than those of now. For outputs of 2.0.
std::vector<std::string> export_with(const Dataset& dataset, const std::string& output, const ExportOptions& options,
                                     const SubsetFacts& facts);

}  // namespace tacore
