#pragma once

#include <memory>
#include <string>
#include <vector>

#include "assets/check.hpp"
#include "dataset/open_container.hpp"
#include "validate/report.hpp"

/// AST-*: the metadata held against the files.
namespace tacore::validator {

/// What is found in one container.
struct CheckedAssets {
  std::string path = {};
  assets::AssetReport found = {};
};

/// Compares the metadata of a dataset with its files; of a TACOLLECTION.json, that of each of its datasets. Throws as
/// assets::check_assets(), and IoError when `progress` returned false, which `is_cancelled` then says.
std::vector<CheckedAssets> check_assets(const std::shared_ptr<const Storage>& storage, const Detected& at,
                                        const std::string& path, const ValidateOptions& options, bool& is_cancelled);

/// Adds what was found to a report.
void tell_assets(Report& report, const std::vector<CheckedAssets>& checked);

}  // namespace tacore::validator
