#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "base/sha256.hpp"
#include "container/container.hpp"
#include "table/level_table.hpp"

namespace tacore {

/// What a row is found to contradict: itself, its data, or the `__meta__` that repeats it.
struct RowFault {
  int level = 0;
  int64_t row = 0;
  std::string why = {};
};

/// Computes the hash of each row of a dataset, which covers its metadata, its place in the tree and its data
/// (docs/format.md, "Proof"). Safe from several threads.
class Leaves {
 public:
  /// `is_whole`: all rows will be asked for, so that links between levels are computed for all of them; otherwise only
  /// what the rows need is read.
  Leaves(const Container& container, bool is_whole) : container_(container), is_whole_(is_whole) {
    for (int level = 0; level < container.num_levels(); ++level) parents_.emplace_back();
  }

  /// The hashes of the rows [begin, begin + count), whose data are read. What they contradict is added to `faults`, and
  /// their hashes may be anything. Throws FormatError and SchemaError for metadata that cannot be read; IoError.
  std::vector<Sha256> of(int level, RowRange rows, std::vector<RowFault>& faults) const;
  /// The rows of the level below that are the children of a FOLDER; {0, 0} where it has none. Throws FormatError.
  RowRange children(int level, int64_t row) const;
  /// Checks one row against the `__meta__` of its parent, where readers may find it, too.
  void check_in_parent(int level, int64_t row, std::vector<RowFault>& faults) const;

 private:
  struct Parents {
    std::once_flag found = {};
    std::vector<int64_t> rows = {};
  };
  const std::vector<int64_t>& parents(int level) const;
  int64_t parent(int level, int64_t row) const;

  const Container& container_;
  bool is_whole_;
  mutable std::deque<Parents> parents_ = {};
};

/// The hashes of all rows of all levels, on several threads; `tell` is called with the number of rows that are done.
/// Throws as Leaves::of().
std::vector<std::vector<Sha256>> all_leaves(const Container& container, int jobs, std::vector<RowFault>& faults,
                                            const std::function<void(uint64_t num_done, uint64_t num_total)>& tell);

/// The first ten of these faults with the paths of their samples, one for each row, in order, for a message.
std::string list_faults(const Container& container, std::vector<RowFault> faults);

/// A column with the SHA-256 of the data of each FILE, which is compared with them.
inline constexpr std::string_view kHashColumn = "taco:sha256";

}  // namespace tacore
