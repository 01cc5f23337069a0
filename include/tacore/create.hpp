#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tacore/collection.hpp"
#include "tacore/export.hpp"
#include "tacore/parquet_options.hpp"
#include "tacore/sample.hpp"

namespace tacore {

/// A dataset to be written (§5.4). Of the collection, tree, field schema and `taco_version` are filled in.
struct Taco {
  Tortilla tortilla;
  Collection collection = {};
};

struct CreateOptions {
  bool overwrite = false;  ///< replace what is there, in one step
  int jobs = 0;            ///< threads that copy; 0: one for each processor
  ParquetOptions parquet = {};
  /// Called now and then with how many of `num_bytes` are copied, from one thread at a time. false stops the work.
  bool (*progress)(uint64_t num_done, uint64_t num_bytes, void* user) = nullptr;
  void* user = nullptr;
};

/// Writes `taco` to `output`: a ZIP where the name ends in `.tacozip` or `.zip`, in any case, else a FOLDER (§6.3,
/// §6.4). Returns what was written. `output` appears whole, synced and at once, or not at all; the same samples give
/// the same bytes, whatever `jobs` is.
///
/// Throws ValidationError before anything is written: `output` is there or has a reserved name, `parquet` makes no
/// sense, the collection breaks a rule (all are told), or the tree does (SchemaError). Throws IoError when something
/// cannot be read or written, a sample changes its size meanwhile, or `progress` returned false.
TACORE_EXPORT std::vector<std::string> create(const Taco& taco, const std::string& output,
                                              const CreateOptions& options = {});

}  // namespace tacore
