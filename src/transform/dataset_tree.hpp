#pragma once

#include "tacore/dataset.hpp"
#include "writer/tree.hpp"

namespace tacore {

/// What a view shows, as taco_of() says it, before padding.
Tree tree_of_view(const Dataset& dataset);

/// All rows of a ZIP or FOLDER, padding included.
Tree tree_of_container(const Dataset& dataset);

}  // namespace tacore
