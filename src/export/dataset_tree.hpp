#pragma once

#include "tacore/dataset.hpp"
#include "writer/tree.hpp"
#include "writer/write_options.hpp"

namespace tacore {

/// The visible samples of a view as a tree, as to_taco() describes, before padding. For datasets before 2.0 only the
/// columns have the form of 2.0 (table/tortilla_columns.hpp); ids are unchanged. At most `limit` files of a remote
/// dataset are opened at a time.
Tree tree_of_view(const Dataset& dataset, int limit = kDefaultConcurrentRequests);

/// True for a view of datasets before 2.0 that shows all samples of each nested Tortilla it shows.
bool has_whole_tortillas(const Dataset& dataset);
/// The level 0 of such a view, with nested Tortillas as FILEs of format TORTILLA.
Tree roots_of_view(const Dataset& dataset);

/// All rows of a ZIP or FOLDER, padding included.
Tree tree_of_container(const Dataset& dataset, int limit = kDefaultConcurrentRequests);

}  // namespace tacore
