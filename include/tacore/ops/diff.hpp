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

/// A value in both datasets, as text: of a member of COLLECTION.json its JSON, of metadata as CSV has it, of a column
/// its Arrow type. nullopt: null, or there is none.
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

/// How one dataset became another.
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

/// Compares two datasets by what they hold, whatever their containers: members of the collection, columns of the
/// levels, and samples by their path, metadata and bytes. Neither the order of rows and columns counts nor padding nor
/// what a container has for itself: numbers, places, the `taco:sources` that only one of them has. The chunk tables of
/// two streaming files are compared, too: for each raster the first cell that differs is told ("lrf::0 chunk:dtype"). A
/// null member is none. Of a column its type and values count (-0.0 is not 0.0, NaN is NaN), not what else Parquet says
/// of it. Data is compared by size, by the CRC-32 that the directories of ZIPs have, then byte by byte. Holds the paths
/// of one level and one column at a time. Throws what load() throws; FormatError and IoError for what cannot be read,
/// or when it was stopped.
TACORE_EXPORT Diff diff(const std::string& a, const std::string& b, const DiffOptions& options = {});

}  // namespace tacore
