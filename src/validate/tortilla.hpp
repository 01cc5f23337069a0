#pragma once

#include <string>
#include <vector>

#include "io/byte_source.hpp"
#include "validate/report.hpp"

namespace tacore::validator {

/// V1-*: the Tortilla or TACO before 2.0 at `path`, all its partitions and nested containers included. `profiles`:
/// V1-16 for each.
void check_tortilla(Report& report, const Storage& storage, const std::string& path,
                    const std::vector<std::string>& profiles, bool deep);

}  // namespace tacore::validator
