#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tacore/task.hpp"
#include "tacore/visibility.hpp"

namespace tacore {

/// How a sample differs between two datasets.
enum class ChangeKind { Added, Removed, Changed };

/// The name of a kind of change: "added", "removed" or "changed".
TACORE_EXPORT const char* to_string(ChangeKind change) noexcept;

/// The two values of a name, in dataset a and dataset b, as text: the JSON of a member of COLLECTION.json, a metadata
/// value in CSV form, the Arrow type of a column. nullopt is null or absent.
struct ValueChange {
  std::string name = {};
  std::optional<std::string> a = {}, b = {};
};

/// A column that only one dataset has, or that differs in type.
struct ColumnChange {
  int level = 0;
  ValueChange type = {};
};

/// A sample that only one dataset has, or that differs.
struct SampleChange {
  ChangeKind change = ChangeKind::Changed;
  int level = 0;
  std::string path = {};                 ///< path of ids, such as `tile/band`
  std::vector<ValueChange> fields = {};  ///< metadata that differs; also the type (FILE or FOLDER)
  std::string bytes = {};                ///< how the data differs: "has 5 bytes, 4 before"; "" when it is equal
};

/// The differences between two datasets, as diff() returns them.
///
///     const Diff changes = diff("v1.tacozip", "v2.tacozip");
///     for (const SampleChange& sample : changes.samples) std::printf("%s\n", sample.path.c_str());
struct TACORE_EXPORT Diff {
  /// Maximal size of `samples`; `num_added`, `num_removed` and `num_changed` count all.
  static constexpr std::size_t kMaxListed = 100;

  std::vector<ValueChange> collection = {};
  std::vector<ColumnChange> columns = {};
  uint64_t num_added = 0, num_removed = 0, num_changed = 0;  ///< samples of all levels
  /// The first changes of each level, removed and added samples before changed ones.
  std::vector<SampleChange> samples = {};

  bool equal() const noexcept;
};

/// Options of diff().
struct DiffOptions {
  Task task = {};
  /// Compare data without reading it: by size, and by CRC-32 when both datasets have it in a ZIP central directory.
  bool quick = false;
};

/// Compares the content of two datasets in any containers: members of the collection, columns of the levels, and
/// samples by path, metadata and bytes. Row order, column order, padding and container-internal columns are ignored,
/// and so is `taco:sources` where only one dataset has it. A null member equals an absent one.
///
/// Columns are compared by type and values (-0.0 differs from 0.0, NaN equals NaN). Data is compared by size, by the
/// CRC-32 in ZIP central directories, then byte by byte. For two streaming files of TACO 0.2.0 the chunk tables are
/// compared, too, and the first cell that differs is reported for each raster ("lrf::0 chunk:dtype"). Memory holds the
/// paths of one level and one column at a time. Throws as load(); FormatError and IoError for data that cannot be read;
/// IoError when `progress` returned false.
TACORE_EXPORT Diff diff(const std::string& a, const std::string& b, const DiffOptions& options = {});

}  // namespace tacore
