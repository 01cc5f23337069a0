#pragma once

#include <span>

#include "describe/json.hpp"
#include "tacore/ops/validate.hpp"

namespace tacore::report {

/// An array with an object for each issue: rule, severity, message, path, offset, level, num_issues, rows.
descriptions::Json json_of(std::span<const Issue> issues);

}  // namespace tacore::report
