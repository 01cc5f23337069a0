#pragma once

#include <string>

#include <tacore/dataset.hpp>

#include "commands.hpp"

namespace tacore::cli {

/// Throws UsageError for a level that nothing tests.
void check_selection(const Selection& selection);

/// The dataset with the filters and the query of `selection`.
Dataset select(const Selection& selection);

/// For an answer without rows to a box: what was tested, and where the dataset is.
std::string why_empty(const Selection& selection, const Dataset& dataset);

}  // namespace tacore::cli
