#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tacore/collection.hpp"
#include "tacore/crs.hpp"
#include "tacore/task.hpp"
#include "tacore/visibility.hpp"
#include "tacore/write/output.hpp"
#include "tacore/write/sample.hpp"

namespace tacore {

/// A dataset to be written: samples and their collection. create() adds the tree of samples, the field schema and
/// `taco_version` to the collection, and computes the extent where it is not given: the union of the footprints of all
/// samples (`istac:geometry`, else the corners of the grid that the STAC columns describe, else the centroid), and of
/// their times. Where no sample has a location, the extent is the globe, as the specification requires, with a warning.
/// A given extent that does not contain all samples also causes a warning.
///
///     Taco taco{Tortilla::from_table("samples.csv"),
///               {.id = "chips", .dataset_version = "1.0.0", .description = "Landsat chips", .licenses = {"CC-BY-4.0"},
///                .providers = {{.name = "ACME"}}, .tasks = {"segmentation"}}};
///     create(taco, "chips.tacozip");
struct TACORE_EXPORT Taco {
  Tortilla tortilla;
  Collection collection = {};

  /// Adds or replaces a key of COLLECTION.json that is not a member of Collection. Times become RFC 3339 text, NaN and
  /// infinities null. Throws SchemaError for members of Collection, binary values, and text that is not UTF-8.
  void extend_with(const std::string& key, const Value& value);
  /// Adds all keys that the extension computes. When one is refused, none is added. Throws SchemaError.
  void extend_with(const TacoExtension& extension);

  /// Describes metadata columns as a table says (`.csv`, `.tsv`, `.jsonl`, `.parquet`) that has a row for each: `name`
  /// (or `column`), and at least one of `description`, `unit` and `classes`. At each level that has the column, its
  /// description in `taco:field_schema` becomes "Elevation (m)" or "Land cover; 0 = water, 1 = forest". `classes` are
  /// written "0=water; 1=forest". If one column has classes, they also become `labels:classes` of the collection,
  /// unless it has some. Throws SchemaError for columns that do not exist, in the samples or in the table, and for
  /// faults of rows as Tortilla::from_table() does; nothing changes then.
  ///
  ///     taco.describe_fields("fields.csv");  // name,description,unit,classes
  void describe_fields(const std::string& path);
};

/// The default of CreateOptions::split_size for create(): 4 GiB of samples in each ZIP.
inline constexpr uint64_t kDefaultSplitSize = uint64_t{4} << 30;

/// Options of create(), export_dataset() and convert().
struct CreateOptions {
  Task task = {};
  OutputOptions output = {};
  /// Approximate bytes of samples in each ZIP: a larger dataset is split, in order, into `x_part0001.tacozip`, ...
  /// (parse_size() reads "4GB"). A larger sample has a ZIP of its own, and a dataset that fits into one ZIP keeps its
  /// name. 0: one ZIP of any size. Not set: create() splits at kDefaultSplitSize, v1::create_taco() and
  /// v1::create_tortilla() at v1::kDefaultSplitSize; a FOLDER, an export and a conversion are not split.
  std::optional<uint64_t> split_size = {};
  /// Columns of level 0: one ZIP is written for each combination of their values, in the order of first occurrence. Its
  /// name is `x_{values}.tacozip`: values are joined by `_`, null is `None`, and characters that are unsafe in file
  /// names become `_`. Each ZIP may be split further.
  std::vector<std::string> group_by = {};
  /// Order of the samples: `hilbert` along a Hilbert curve through their locations, so that neighbours on the globe are
  /// neighbours in the tables, and readers find those of a place in few pages (with ParquetOptions::covering, which
  /// this sets); `time` by the time at which they begin. Samples without location or time come last, with a warning;
  /// samples that are equal stay in their order. "": the given order. Positions of samples change: read(7) is another
  /// one.
  std::string order = {};
  /// Write an index, the folder `.tacocat`, beside the ZIPs when there are several.
  bool consolidate = true;
  /// Maximal number of requests in flight while remote samples are copied, at least 1. RemoteOptions has that of open
  /// datasets.
  int max_concurrent_requests = 100;
  const CrsTransformer* transformer = nullptr;  ///< for footprints in a CRS that tacore does not know itself
};

/// Writes `taco` to `output`: a ZIP when the name ends in `.tacozip` or `.zip`, in any case, else a FOLDER. Returns the
/// paths of the containers: one, unless a ZIP is split or grouped.
///
/// Each container is written under a temporary name and flushed to disk (fsync). When all are complete they are
/// renamed, the index last: a run that fails before that leaves no output. The same samples give the same bytes,
/// whatever the number of threads.
///
/// Throws ValidationError, before anything is written, when the output exists (unless `overwrite`), has no name or a
/// reserved one, when two containers would have the same name, when a FOLDER is to be split, when options of the output
/// are invalid, or when the collection breaks rules (the message lists all of them); SchemaError for a tree that breaks
/// a rule and for an unknown column in `group_by`; IoError when a file cannot be read or written (the parent folder of
/// `output` must exist), when a sample changes its size meanwhile, or when `progress` returned false.
TACORE_EXPORT std::vector<std::string> create(const Taco& taco, const std::string& output,
                                              const CreateOptions& options = {});

/// The result of check_plan(): why create() would fail, and what it would write.
struct PlanCheck {
  std::vector<std::string> issues = {};  ///< one sentence each; empty: create() would accept the input
  int64_t num_samples = 0;               ///< of all levels, padding included
  uint64_t num_bytes = 0;                ///< of all FILEs
  std::vector<std::string> parts = {};   ///< paths of the containers, in order
};

/// Checks whether create() would accept this input, and lists every issue instead of throwing the first one. Writes
/// nothing, and throws nothing for faults of `taco`, `output` and `options`.
///
///     for (const std::string& issue : check_plan(taco, "chips.tacozip").issues) std::puts(issue.c_str());
TACORE_EXPORT PlanCheck check_plan(const Taco& taco, const std::string& output, const CreateOptions& options = {});

/// The result of make_compliant().
struct Compliant {
  Taco taco;
  std::vector<std::string> changes = {};  ///< one sentence each; empty: nothing was changed
};

/// Makes a copy of a dataset in which all FOLDERs at one position have the same children, as create() requires: padding
/// stands for missing children, and children whose order differs are sorted in the code-point order of `<id>/`.
/// Metadata and collection are not changed. Throws SchemaError for differences that padding cannot mend
/// (Tortilla::pad).
TACORE_EXPORT Compliant make_compliant(const Taco& taco);

}  // namespace tacore
