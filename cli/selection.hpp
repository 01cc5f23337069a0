#pragma once

#include <tacore/dataset.hpp>

#include "commands.hpp"

namespace tacore::cli {

/// Throws UsageError for a level that nothing tests.
void check_selection(const Selection& selection);

/// The dataset with the filters and the query of `selection`.
Dataset select(const Selection& selection);

}  // namespace tacore::cli
