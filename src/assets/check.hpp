#pragma once

#include <memory>
#include <vector>

#include "assets/findings.hpp"
#include "assets/survey.hpp"
#include "container/container.hpp"

namespace tacore::assets {

/// What is found, in the order of the rules' families: what contradicts the files, then patterns.
struct AssetReport {
  Survey survey = {};
  std::vector<Finding> findings = {};
};

/// Compares the metadata of a container with its files. Changes of findings are meant to be made in this order, each
/// with the values that those before it leave. Throws as survey().
AssetReport check_assets(const std::shared_ptr<const Container>& container, const SurveyOptions& options);

}  // namespace tacore::assets
