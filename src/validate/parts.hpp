#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "validate/tiff.hpp"

/// What several processes read of the files of one dataset, for the process that validates it.
namespace tacore::validator {

/// What one process has read.
struct PartOfFiles {
  std::vector<std::string> facts = {};   ///< results of assets::survey_part(), for each container
  std::vector<PlacedFault> faults = {};  ///< of a part of the rows
};

std::string encode_part(const PartOfFiles& part);
/// Throws FormatError.
PartOfFiles decode_part(std::string_view bytes);

}  // namespace tacore::validator
