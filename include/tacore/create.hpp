#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tacore/collection.hpp"
#include "tacore/export.hpp"

namespace tacore {

/// Samples to be written, with their metadata: a tree of one to six levels (§5.2, §5.3). The bytes of its samples stay
/// where they are until create() copies them. An immutable value; copies share.
class TACORE_EXPORT Tortilla {
 public:
  /// The tree below the folder `path`: its folders are FOLDERs, its files FILEs, named as they are. Siblings in the
  /// code-point order of `<id>/`. Links to files are followed. Throws IoError; SchemaError for what is neither file nor
  /// folder, a link to a folder, an empty folder, and more than six levels.
  static Tortilla from_folder(const std::string& path);

  /// The samples that a table lists (`.parquet`, `.csv`, `.jsonl`): `id` (a `/` nests, `tile/band`), `path` (of a FILE;
  /// relative to the folder of the table), every other column metadata. Siblings in the order of their rows. A FOLDER
  /// may have a row without path, for its metadata. A level has the columns that are not null in all its rows, and
  /// those that are so at all levels; `type` may be there and must be right. Throws IoError, FormatError when the table
  /// cannot be read, SchemaError for what it lists.
  static Tortilla from_table(const std::string& path);

  /// Samples of a level, 0 for one that does not exist.
  int64_t num_samples(int level = 0) const noexcept;
  /// The deepest level, 0 when no sample has children.
  int depth() const noexcept;
  /// The bytes of all FILEs.
  uint64_t num_bytes() const noexcept;

  struct Impl;
  const std::shared_ptr<const Impl>& impl() const noexcept { return impl_; }

 private:
  explicit Tortilla(std::shared_ptr<const Impl> impl);
  std::shared_ptr<const Impl> impl_;
};

/// A dataset to be written (§5.4). Of the collection, tree, field schema and `taco_version` are filled in.
struct Taco {
  Tortilla tortilla;
  Collection collection = {};
};

struct CreateOptions {
  bool overwrite = false;  ///< replace what is there, in one step
  int jobs = 0;            ///< threads that copy; 0: one for each processor
  /// Called now and then with how many of `num_bytes` are copied, from one thread at a time. false stops the work.
  bool (*progress)(uint64_t num_done, uint64_t num_bytes, void* user) = nullptr;
  void* user = nullptr;
};

/// Writes `taco` to `output`: a ZIP where the name ends in `.tacozip` or `.zip`, in any case, else a FOLDER (§6.3,
/// §6.4). Returns what was written. `output` appears whole, synced and at once, or not at all; the same samples give
/// the same bytes, whatever `jobs` is.
///
/// Throws ValidationError before anything is written: `output` is there or has a reserved name, the collection breaks a
/// rule (all are told), or the tree does (SchemaError). Throws IoError when something cannot be read or written, a
/// sample changes its size meanwhile, or `progress` returned false.
TACORE_EXPORT std::vector<std::string> create(const Taco& taco, const std::string& output,
                                              const CreateOptions& options = {});

}  // namespace tacore
