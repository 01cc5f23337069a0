#pragma once

#include <map>
#include <string>
#include <vector>

#include "tacore/extensions/conventions.hpp"

namespace tacore::extensions {

/// The name of its columns in the table of columns.hpp.
const char* extension_of(Convention convention);

/// The parts of a dataset that a convention sets rules for.
struct DatasetShape {
  std::vector<std::string> samples = {};                   ///< ids of level 0
  std::vector<FieldDescription> fields = {};               ///< of level 0
  std::map<std::string, std::vector<Value>> columns = {};  ///< of level 0, those of the convention
  std::vector<std::vector<std::string>> child_ids = {};    ///< by level, level 1 first
};

/// check_convention() of such parts.
std::vector<std::string> faults_of(Convention convention, const DatasetShape& dataset);

}  // namespace tacore::extensions
