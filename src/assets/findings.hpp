#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "assets/claims.hpp"
#include "assets/survey.hpp"
#include "tacore/collection.hpp"
#include "tacore/value.hpp"

namespace tacore::assets {

/// New values of a row, one for each column of its finding.
struct Change {
  std::size_t index = 0;  ///< of the layer
  std::vector<Value> old_values = {}, new_values = {};
};

/// A new description of a column.
struct DescriptionChange {
  int level = 0;
  std::string column = {}, old_text = {}, new_text = {};
};

/// A fault of one row, in words.
struct RowFault {
  std::size_t index = 0;
  std::string message = {};
};

/// A rule that the metadata of a layer breaks, in some of its rows or as a whole, with what would repair it.
struct Finding {
  std::string rule = {};  ///< of docs/rules.md
  std::size_t layer = 0;  ///< in Survey::layers
  std::vector<std::string> columns = {};
  std::string message = {};            ///< what is found as a whole, with the evidence; "" where only the rows are told
  std::vector<RowFault> faults = {};   ///< the first ones
  std::vector<std::size_t> rows = {};  ///< all rows concerned, as indices of the layer
  // The repair.
  std::string reason = {};
  double confidence = 0;    ///< 0: there is no repair; 1: the files themselves say the new values
  bool is_accepted = true;  ///< false: applied only where a person agrees
  std::vector<Change> changes = {};
  std::optional<DescriptionChange> description = {};
};

/// Rows of a finding that are told one by one.
inline constexpr std::size_t kMostTold = 20;

/// "12 of 3,400 rows"
std::string part_text(std::size_t part, std::size_t all);

/// Patterns within single columns: times of two units, zeros that stand for null, values beyond what a quantity can be,
/// columns of one value that should have several, measured values that never change, descriptions that name another
/// unit than the values have. `read` gives the values of a column, as changes that are made before leave them.
std::vector<Finding> column_patterns(const Survey& survey, std::size_t layer,
                                     const std::function<std::vector<Value>(int column)>& read);

/// Columns with paths of files in the dataset that name another file, a FOLDER, or nothing.
std::vector<Finding> path_patterns(const Survey& survey, std::size_t layer);

/// Regular series with a gap or something twice: times at a place, times of the frames of a sample, numbers in ids.
std::vector<Finding> series_patterns(const Survey& survey);

/// A date at which the statistics of the files of a layer jump.
std::vector<Finding> jump_patterns(const Survey& survey, std::size_t layer);

/// Patterns among samples: files with the same bytes at the same place, samples of different splits at one place,
/// places beyond the extent of the collection, samples that are crowded at few places.
std::vector<Finding> sample_patterns(const Survey& survey);

}  // namespace tacore::assets
