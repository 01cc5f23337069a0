#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tacore/bbox.hpp"
#include "tacore/collection.hpp"
#include "tacore/time_range.hpp"

/// Bounds of the rows of each source of a TACOLLECTION.json. A reader need not open a source if no row within its
/// bounds passes a filter. The document alone proves nothing (dataset/partitions.hpp).
namespace tacore {

/// Bounds of the rows of one level, padding excepted. A column that is missing has none.
struct LevelBounds {
  int64_t num_rows = 0;
  /// The box around all geometries of a column, in its coordinates; nullopt where no row has a geometry.
  std::map<std::string, std::optional<BBox>> places = {};
  /// The first and the last time in a column; nullopt where no row has a time.
  std::map<std::string, std::optional<TimeRange>> times = {};
  /// The least and the greatest id, in the order of their bytes.
  std::optional<std::pair<std::string, std::string>> ids = {};

  bool operator==(const LevelBounds&) const = default;
};

/// The levels of one source.
using SourceBounds = std::vector<LevelBounds>;

/// Adds bounds to taco:sources of the JSON of an index: one entry for each source.
std::string with_bounds(std::string_view collection, const std::vector<SourceBounds>& bounds);

/// Reads them back: one entry for each source, or nothing where there are none. Throws FormatError, with what is wrong,
/// for other contents than with_bounds() writes.
std::vector<SourceBounds> bounds_of(const Collection& collection);

}  // namespace tacore
