#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tacore/collection.hpp"
#include "tacore/export.hpp"
#include "tacore/parquet_options.hpp"
#include "tacore/sample.hpp"

namespace tacore {

/// A dataset to be written (§5.4). Of the collection, tree, field schema and `taco_version` are filled in, and the
/// extent unless it is given: by the places and times of the samples (STAC, ISTAC), the globe where there are none.
struct Taco {
  Tortilla tortilla;
  Collection collection = {};
};

struct CreateOptions {
  bool overwrite = false;  ///< replace what is there, in one step
  /// ZIPs of about this many bytes of samples each, filled in order: `x_part0001.tacozip`, ... (`parse_size`
  /// reads "4GB"). A sample that is larger has one of its own, and what fits into one has the plain name. 0: no limit.
  uint64_t split_size = 0;
  /// A ZIP for each combination of the values of these columns of level 0, in the order first seen:
  /// `x_{values}.tacozip`, joined by `_`, null as `None`, characters that file names should not have as `_`. Each may
  /// be split further.
  std::vector<std::string> group_by = {};
  bool consolidate = true;  ///< several ZIPs get an index, the folder `.tacocat` beside them (§6.5)
  int jobs = 0;             ///< threads that copy; 0: one for each processor
  ParquetOptions parquet = {};
  /// Called now and then with how many of `num_bytes` are copied, from one thread at a time. false stops the work.
  bool (*progress)(uint64_t num_done, uint64_t num_bytes, void* user) = nullptr;
  void* user = nullptr;
};

/// Writes `taco` to `output`: a ZIP where the name ends in `.tacozip` or `.zip`, in any case, else a FOLDER (§6.3,
/// §6.4). Returns the containers, one unless a ZIP is split or grouped. All appear whole and synced, or none does; one
/// at once, several one after another when all are made, their index last. The same samples give the same bytes,
/// whatever `jobs` is.
///
/// Throws ValidationError before anything is written: what it would write is there or has a reserved name, two parts
/// have one name, a FOLDER is to be split, `parquet` makes no sense, the collection breaks a rule (all are told), or the tree does (SchemaError,
/// also for a column of `group_by` that is not there). Throws IoError when something cannot be read or written, a
/// sample changes its size meanwhile, or `progress` returned false.
TACORE_EXPORT std::vector<std::string> create(const Taco& taco, const std::string& output,
                                              const CreateOptions& options = {});

}  // namespace tacore
