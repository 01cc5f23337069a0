#pragma once

#include <string>
#include <vector>

#include <tacore/pit_schema.hpp>

namespace tacore::cli {

/// What all samples have in common, drawn line by line below "6 x FOLDER"; long lists of children are cut.
std::vector<std::string> tree(const PitSchema& pit_schema);

}  // namespace tacore::cli
