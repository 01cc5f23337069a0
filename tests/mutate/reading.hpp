#pragma once

#include <map>
#include <string>
#include <vector>

#include "case.hpp"

namespace tacore::mutate {

/// What one step of the reading side gave.
struct Outcome {
  bool failed = false;
  std::string value = {};  ///< or the text of the error
  std::string fault = {};  ///< an error that is not of our classes, says nothing or does not say where
};

/// Steps by name, such as "rows 1" or "bytes europe/item_0".
using Transcript = std::map<std::string, Outcome>;

/// Runs the whole reading side over a dataset: opening, levels, rows, cells as JSON, SQL, filters, statistics,
/// navigation to every sample and its bytes, and the checks of `validate --deep`. `root` is the folder it lies in.
Transcript read_everything(const std::string& path, const std::string& root);

/// What is wrong with reading a mutated dataset, given how the good one reads; "" when all is well.
std::string compare(const Transcript& good, const Transcript& now, Rule rule, bool is_index, bool is_checked);

}  // namespace tacore::mutate
