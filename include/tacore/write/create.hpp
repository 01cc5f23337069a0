#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tacore/collection.hpp"
#include "tacore/crs.hpp"
#include "tacore/visibility.hpp"
#include "tacore/write/parquet_options.hpp"
#include "tacore/write/sample.hpp"

namespace tacore {

/// A dataset to be written (§5.4). create() fills in the tree, the field schema and `taco_version` of the collection,
/// and the extent where it is not given: the union of the footprints of all samples (`istac:geometry`, else the corners
/// of the grid that STAC describes, else the centroid), and of their times. Where no sample has a place the extent is
/// the globe, as the specification requires, with a warning. A given extent that leaves out samples also causes a
/// warning.
///
///     Taco taco{Tortilla::from_table("samples.csv"),
///               {.id = "chips", .dataset_version = "1.0.0", .description = "Landsat chips", .licenses = {"CC-BY-4.0"},
///                .providers = {{.name = "ACME"}}, .tasks = {"segmentation"}}};
///     create(taco, "chips.tacozip");
struct TACORE_EXPORT Taco {
  Tortilla tortilla;
  Collection collection = {};

  /// Sets a key of COLLECTION.json beyond those of the model. Times become RFC 3339 text, NaN and infinities null.
  /// Throws SchemaError for keys of the model, binary values, and what is not UTF-8.
  void extend_with(const std::string& key, const Value& value);
  /// Sets all keys that the extension computes, or none.
  void extend_with(const TacoExtension& extension);
};

struct CreateOptions {
  bool overwrite = false;  ///< replace what is there, in one step; of folders only empty ones and datasets
  /// ZIPs of about this many bytes of samples each, filled in order: `x_part0001.tacozip`, ... (`parse_size`
  /// reads "4GB"). A sample that is larger has one of its own, and what fits into one has the plain name. 0: no limit.
  uint64_t split_size = 0;
  /// A ZIP for each combination of the values of these columns of level 0, in the order first seen:
  /// `x_{values}.tacozip`, joined by `_`, null as `None`, characters that file names should not have as `_`. Each may
  /// be split further.
  std::vector<std::string> group_by = {};
  bool consolidate = true;  ///< several ZIPs get an index, the folder `.tacocat` beside them (§6.5)
  int jobs = 0;             ///< threads that copy; 0: one for each processor
  int limit = 100;          ///< requests at a time for samples that are remote, at least 1; see RemoteOptions::limit
  ParquetOptions parquet = {};
  const CrsTransformer* transformer = nullptr;  ///< for footprints in a CRS that tacore does not know itself
  /// The folder, on the file system of the output, where a dataset is until it is whole; "": beside the output.
  std::string temp_dir = {};
  /// Called now and then with how many of `num_bytes` are copied, from one thread at a time. false stops the work.
  bool (*progress)(uint64_t num_done, uint64_t num_bytes, void* user) = nullptr;
  void* user = nullptr;
};

/// Writes `taco` to `output`: a ZIP where the name ends in `.tacozip` or `.zip`, in any case, else a FOLDER (§6.3,
/// §6.4). Returns the containers, one unless a ZIP is split or grouped. All appear whole and synced, or none does; one
/// at once, several one after another when all are made, their index last. The same samples give the same bytes,
/// whatever `jobs` is.
///
/// Throws ValidationError before anything is written: what it would write is there, has a reserved name or none, two
/// parts have one name, a FOLDER is to be split, `parquet` or `temp_dir` makes no sense, the collection breaks a rule
/// (all are told), or the tree does (SchemaError, also for a column of `group_by` that is not there). Throws IoError
/// when something cannot be read or written (the folder that `output` is in is not made), a sample changes its size
/// meanwhile, or `progress` returned false.
TACORE_EXPORT std::vector<std::string> create(const Taco& taco, const std::string& output,
                                              const CreateOptions& options = {});

/// What stands in the way of create(), and what it would write.
struct PlanCheck {
  std::vector<std::string> issues = {};  ///< one sentence each; empty: create() has nothing against it
  int64_t num_samples = 0;               ///< of all levels, padding included
  uint64_t num_bytes = 0;                ///< of all FILEs
  std::vector<std::string> parts = {};   ///< the containers, in order
};

/// Checks what create() checks, and tells all of it. Writes nothing. Throws nothing for what is wrong with `taco`,
/// `output` and `options`.
TACORE_EXPORT PlanCheck check_plan(const Taco& taco, const std::string& output, const CreateOptions& options = {});

struct Compliant {
  Taco taco;
  std::vector<std::string> changes = {};  ///< one sentence each; empty: it was compliant
};

/// A copy whose samples create() takes: children in the code-point order of `<id>/` where FOLDERs at one position have
/// them in different orders, and padding for those that are missing. Changes no metadata and no collection. Throws
/// SchemaError for what no padding mends (Tortilla::pad).
TACORE_EXPORT Compliant make_compliant(const Taco& taco);

}  // namespace tacore
