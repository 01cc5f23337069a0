#pragma once

#include <memory>
#include <string>

#include "dataset/open_container.hpp"
#include "validate/report.hpp"

/// PRF-*: hashes, Merkle root and signature.
namespace tacore::validator {

/// Reads all data of a dataset that states hashes, or each dataset of an index, and compares. Throws IoError.
void check_proof(Report& report, const std::shared_ptr<const Storage>& storage, const Detected& at,
                 const std::string& path, const ValidateOptions& options);

}  // namespace tacore::validator
