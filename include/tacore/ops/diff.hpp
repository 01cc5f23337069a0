#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tacore/task.hpp"
#include "tacore/visibility.hpp"

namespace tacore {

enum class ChangeKind { Added, Removed, Changed };

/// "added", "removed" or "changed".
TACORE_EXPORT const char* to_string(ChangeKind change) noexcept;

/// A value in both datasets, as text: the JSON of a member of COLLECTION.json, metadata in the form of CSV, the Arrow
/// type of a column. nullopt: null or absent.
struct ValueChange {
  std::string name = {};
  std::optional<std::string> a = {}, b = {};
};

struct ColumnChange {
  int level = 0;
  ValueChange type = {};
};

/// A sample that only one dataset has, or that differs.
struct SampleChange {
  ChangeKind change = ChangeKind::Changed;
  int level = 0;
  std::string path = {};                 ///< from DATA/, `tile/band`
  std::vector<ValueChange> fields = {};  ///< metadata that differs, and the type FILE or FOLDER
  std::string bytes = {};                ///< how the data differs: "has 5 bytes, 4 before"; "" when it does not
};

/// The differences between two datasets.
struct TACORE_EXPORT Diff {
  /// Most that `samples` lists; all are counted.
  static constexpr std::size_t kMaxListed = 100;

  std::vector<ValueChange> collection = {};
  std::vector<ColumnChange> columns = {};
  uint64_t num_added = 0, num_removed = 0, num_changed = 0;  ///< samples of all levels
  std::vector<SampleChange> samples = {};  ///< the first of each level, removed and added before changed

  bool equal() const noexcept;
};

struct DiffOptions {
  Task task = {};
  /// Takes data for equal without reading it when its size is, and its CRC-32 where the directories of ZIPs say so for
  /// both.
  bool quick = false;
};

/// Compares the content of two datasets in any containers: members of the collection, columns of the levels, and
/// samples by path, metadata and bytes. Row order, column order, padding and container-internal columns are ignored,
/// and `taco:sources` where only one dataset has it. A null member equals an absent one. Columns are compared by type
/// and values
/// (-0.0 differs from 0.0, NaN equals NaN). Of two streaming files the chunk tables are compared, too, and the first
/// cell that differs is reported for each raster ("lrf::0 chunk:dtype"). Data is compared by size, by the CRC-32 of ZIP
/// directories, then byte by byte. Memory: the paths of one level and one column at a time. Throws as load();
/// FormatError and IoError for data that cannot be read, IoError when `progress` stopped it.
TACORE_EXPORT Diff diff(const std::string& a, const std::string& b, const DiffOptions& options = {});

}  // namespace tacore
