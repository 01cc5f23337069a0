#pragma once

#include <memory>
#include <string>

#include "dataset/open_container.hpp"
#include "validate/report.hpp"

namespace tacore::validator {

/// AST-*: compares the metadata with the files. Of a TACOLLECTION.json, that of each of its datasets.
void check_assets(Report& report, const std::shared_ptr<const Storage>& storage, const Detected& at,
                  const std::string& path, const ValidateOptions& options);

}  // namespace tacore::validator
