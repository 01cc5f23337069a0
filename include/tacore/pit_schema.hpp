#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tacore/visibility.hpp"

namespace tacore {

/// FILE is a leaf with data, FOLDER an intermediate node with children (§5.1).
enum class SampleType { File, Folder };

/// "FILE" or "FOLDER".
TACORE_EXPORT const char* to_string(SampleType type) noexcept;

/// The children that every FOLDER at one position of the level above has, in order.
struct PitPattern {
  uint64_t n = 0;                     ///< rows of the level that follow this pattern
  std::vector<SampleType> type = {};  ///< one for each child
  std::vector<std::string> id = {};   ///< as many as `type`

  bool operator==(const PitPattern&) const = default;
};

/// Position-Invariant Tree: what all samples of a dataset have in common (§5.5, `taco:pit_schema`).
struct TACORE_EXPORT PitSchema {
  uint64_t root_n = 0;
  SampleType root_type = SampleType::File;
  std::map<int, std::vector<PitPattern>> hierarchy = {};  ///< by level, 1 and deeper

  /// Parses the JSON object of `taco:pit_schema`. Throws SchemaError naming the broken rule.
  static PitSchema parse(const std::string& json);
  std::string to_json() const;

  /// The deepest level, 0 for a flat dataset.
  int max_depth() const noexcept;
  /// Same root type, levels, patterns, types and ids, in order; every n is ignored.
  bool is_compatible(const PitSchema& other) const noexcept;
  /// A copy whose root has `n` rows.
  PitSchema with_n(uint64_t n) const;

  bool operator==(const PitSchema&) const = default;
};

}  // namespace tacore
