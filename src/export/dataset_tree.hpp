#pragma once

#include "tacore/dataset.hpp"
#include "writer/tree.hpp"
#include "writer/write_options.hpp"

namespace tacore {

/// What a view shows, as to_taco() says it, before padding. Of datasets before 2.0 alone columns have the form of 2.0
/// (table/tortilla_columns.hpp), and ids are as they are.
/// At most `limit` files of a remote dataset are opened at a time.
Tree tree_of_view(const Dataset& dataset, int limit = kDefaultConcurrentRequests);

/// True for a view of datasets before 2.0 that shows all samples of the nested Tortillas it shows.
bool has_whole_tortillas(const Dataset& dataset);
/// The level 0 of such a view, nested Tortillas as FILEs of format TORTILLA.
Tree roots_of_view(const Dataset& dataset);

/// All rows of a ZIP or FOLDER, padding included.
Tree tree_of_container(const Dataset& dataset, int limit = kDefaultConcurrentRequests);

}  // namespace tacore
