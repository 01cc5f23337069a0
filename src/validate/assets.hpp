#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "assets/check.hpp"
#include "dataset/open_container.hpp"
#include "validate/parts.hpp"
#include "validate/report.hpp"

/// AST-*: the metadata held against the files.
namespace tacore::validator {

/// What is found in one container.
struct CheckedAssets {
  std::string path = {};
  assets::AssetReport found = {};
};

/// The headers of one part of the files, for each container that check_assets() looks at: bytes for `parts` there.
/// Throws as check_assets().
std::vector<std::string> read_assets_part(const std::shared_ptr<const Storage>& storage, const Detected& at,
                                          const std::string& path, const ValidateOptions& options, std::size_t part,
                                          std::size_t num_parts);

/// Compares the metadata of a dataset with its files; of a TACOLLECTION.json, that of each of its datasets. Throws as
/// assets::check_assets(), and IoError when `progress` returned false, which `is_cancelled` then says. `parts`: what
/// other processes have read of the files; empty: nothing.
std::vector<CheckedAssets> check_assets(const std::shared_ptr<const Storage>& storage, const Detected& at,
                                        const std::string& path, const ValidateOptions& options,
                                        std::span<const PartOfFiles> parts, bool& is_cancelled);

/// Adds what was found to a report.
void tell_assets(Report& report, const std::vector<CheckedAssets>& checked);

}  // namespace tacore::validator
