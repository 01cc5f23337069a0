#pragma once

#include <set>
#include <vector>

#include "assets/findings.hpp"
#include "assets/survey.hpp"

namespace tacore::assets {

/// What the pixels of a dataset say.
struct PixelReport {
  std::vector<Finding> findings = {};
  std::set<double> classes = {};  ///< values of all rasters of one band of integers
};

/// Decodes all pixels of the TIFFs that tacore decodes, each once: AST-10 where that fails, AST-13 where
/// `geotiff:stats` or `landcover:fractions` are not those of the pixels, AST-30 where a map of classes has values that
/// are not declared, and AST-29 where two files show the same. Throws IoError.
PixelReport read_pixels(const Survey& survey, const SurveyOptions& options);

}  // namespace tacore::assets
