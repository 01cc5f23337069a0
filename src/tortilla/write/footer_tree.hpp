#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tortilla/header.hpp"
#include "writer/tree.hpp"

namespace tacore::v1 {

/// `tree` in the form of a Tortilla, of any shape and depth, since children are found by their byte ranges. Padding is
/// removed. The columns of each level are `tortilla:file_format` of every row (as given, in the spelling of the
/// specification; TORTILLA for FOLDERs; else guessed from the bytes), `tortilla:data_split` where a row has one, then
/// `stac:*`, `rai:*`, `stats:*` and all others in their order. Columns that a footer computes or never has are dropped:
/// `tortilla:id`, offsets and lengths, `internal:*`, a pandas index. `jobs` threads read bytes.
///
/// Throws ValidationError: no samples, a FOLDER without any, an id that is empty, not UTF-8 or a duplicate, a
/// `tortilla:data_split` other than train, validation and test, a FILE of format TORTILLA that is not one, a duplicate
/// column. IoError for a sample that cannot be read.
Tree footer_tree(Tree tree, Kind kind, int jobs);

/// A split in the spelling of the specification: train, validation or test, also for `val`, `training`, ... nullopt for
/// other names.
std::optional<std::string> spelled_split(std::string_view name);

}  // namespace tacore::v1
