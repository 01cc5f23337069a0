#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tacore/visibility.hpp"

namespace tacore {

/// The type of a sample: a FILE has data, a FOLDER has children.
enum class SampleType { File, Folder };

/// The name of a sample type: "FILE" or "FOLDER".
TACORE_EXPORT const char* to_string(SampleType type) noexcept;

/// The ordered children that every FOLDER at one position of the level above has.
struct PitPattern {
  uint64_t n = 0;                     ///< number of rows of the level that follow this pattern
  std::vector<SampleType> type = {};  ///< one for each child
  std::vector<std::string> id = {};   ///< as many as `type`

  bool operator==(const PitPattern&) const = default;
};

/// The Position-Invariant Tree (PIT) of a dataset, `taco:pit_schema`: the types and ids of the descendants that all
/// samples have in common.
///
///     // 100 FOLDERs of level 0, each with the FILEs `before` and `after`:
///     PitSchema::parse(R"({"root": {"n": 100, "type": "FOLDER"},
///                          "hierarchy": {"1": [{"n": 200, "type": ["FILE", "FILE"], "id": ["before", "after"]}]}})");
struct TACORE_EXPORT PitSchema {
  uint64_t root_n = 0;
  SampleType root_type = SampleType::File;
  std::map<int, std::vector<PitPattern>> hierarchy = {};  ///< by level, 1 and deeper

  /// Parses the JSON object `taco:pit_schema`. Throws SchemaError, which names the broken rule.
  static PitSchema parse(const std::string& json);
  std::string to_json() const;

  /// The deepest level, 0 for a dataset without FOLDERs.
  int max_depth() const noexcept;
  /// True when root type, levels, patterns, types and ids are equal, in the same order, whatever the numbers of rows.
  bool is_compatible(const PitSchema& other) const noexcept;
  /// A copy whose root has `n` rows.
  PitSchema with_n(uint64_t n) const;

  bool operator==(const PitSchema&) const = default;
};

}  // namespace tacore
