#pragma once

#include <string>
#include <utility>
#include <vector>

#include "validate/rows.hpp"

namespace tacore::validator {

/// A FOLDER, and its rows of the level, in order.
struct FolderRows {
  struct Child {
    std::string id;
    SampleType type = SampleType::File;
    int64_t row = 0;                        ///< of the level
    std::optional<std::size_t> entry = {};  ///< with the child's bytes, or with its own `__meta__`
  };
  std::size_t meta = 0;  ///< the entry of its `__meta__`
  std::vector<Child> children = {};
};

/// Checks the `__meta__` of each FOLDER against the rows of the level: MET-*, PIT-2. There may be a million of them, so
/// FOLDERs are collected, and checked by several threads.
class MetaChecks {
 public:
  MetaChecks(Report& report, const Section& section, int level) : report_(report), section_(section), level_(level) {}

  /// Begins a FOLDER; its children follow in order, then end().
  void begin(std::string_view path);
  void check(const Row& row, SampleType type, std::optional<std::size_t> entry);
  void end();
  /// Checks the FOLDERs that have not been yet. Call it after the last one.
  void finish();

 private:
  Report& report_;
  const Section& section_;
  int level_;
  bool is_open_ = false;  ///< between begin() of a FOLDER that has a `__meta__`, and end()
  std::size_t num_waiting_ = 0;
  std::vector<FolderRows> waiting_ = {};
  std::vector<Column> seen_ = {};  ///< columns of the last `__meta__` that was checked
};

}  // namespace tacore::validator
