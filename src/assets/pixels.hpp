#pragma once

#include <vector>

#include "assets/findings.hpp"
#include "assets/survey.hpp"

namespace tacore::assets {

/// Decodes all pixels of the TIFFs that tacore decodes: AST-10 where that fails, and AST-13 where the column
/// `geotiff:stats` has other values of min, max, mean or std than the pixels, by more than a hundredth of their range.
/// Throws IoError.
std::vector<Finding> pixel_findings(const Survey& survey, const SurveyOptions& options);

}  // namespace tacore::assets
