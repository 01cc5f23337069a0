#pragma once

#include <utility>

#include "validate/rows.hpp"

namespace tacore::validator {

/// Checks the `__meta__` of each FOLDER against the rows of the level: MET-*, PIT-2.
class MetaCheck {
 public:
  MetaCheck(Report& report, const Section& section, int level) : report_(report), section_(section), level_(level) {}

  /// Begins a FOLDER; its children follow in order, then end().
  void begin(std::string_view path);
  /// `entry` is the entry with the child's bytes, or with its own `__meta__`.
  void check(const Row& row, SampleType type, std::optional<std::size_t> entry);
  void end();

 private:
  void check_columns();
  void adopt_columns();
  void check_place(std::size_t entry);
  void compare_values();
  ErrorContext where() const { return {.path = section_.path, .offset = offset_, .level = level_}; }

  Report& report_;
  const Section& section_;
  int level_;
  std::shared_ptr<const LevelTable> table_ = {};
  std::shared_ptr<const LevelTable> last_ = {};  ///< the previous one
  std::string name_ = {};
  std::optional<uint64_t> offset_ = {};
  int64_t row_ = 0;
  std::vector<std::pair<int64_t, int64_t>> rows_ = {};  ///< of the level and of `__meta__`, which are one sample
  std::vector<Column> seen_ = {};                       ///< columns of the last table that was checked
};

}  // namespace tacore::validator
