#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "assets/findings.hpp"
#include "assets/survey.hpp"
#include "tacore/collection.hpp"
#include "tacore/value.hpp"

namespace tacore::assets {

/// A class that labels may have: its value in columns and pixels, and its name.
struct DeclaredClass {
  std::string value = {}, name = {};

  auto operator<=>(const DeclaredClass&) const = default;
};

using DeclaredClasses = std::vector<DeclaredClass>;

/// `labels:classes` of COLLECTION.json; none where the document lacks it or has something else there.
DeclaredClasses classes_of(const Collection& collection);

/// The classes that a description of a column ends with: "Land cover; 0 = water, 1 = forest". None where it does not.
DeclaredClasses classes_in(const std::string& description);

/// The values of classes as pixels have them; nullopt where one is no number, or there are none.
std::optional<std::vector<double>> class_numbers(const DeclaredClasses& classes);

/// Columns of labels: values and `landcover:fractions` beside the declared classes (AST-14, AST-30), and how the
/// classes are divided among samples and splits (AST-33). `in_pixels` has the values of all rasters that may show
/// classes; nullptr where no pixels were decoded.
std::vector<Finding> class_patterns(const Survey& survey, std::size_t layer, const std::set<double>* in_pixels);

}  // namespace tacore::assets
