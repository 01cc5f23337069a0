#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tacore/ops/site.hpp"

namespace tacore::descriptions {

/// A dataset of a catalogue, and the folder of its pages, such as "datasets/landsat".
using CatalogueEntry = std::pair<DatasetSummary, std::string>;

/// The index.html of a catalogue: the list of its datasets, a search over them by a script, and schema.org metadata for
/// search engines. `base_url` is without a slash at its end; "" for relative links.
std::string catalogue_page(const std::vector<CatalogueEntry>& entries, const std::string& base_url,
                           const SiteOptions& options);

}  // namespace tacore::descriptions
