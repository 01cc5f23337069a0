#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tortilla/header.hpp"
#include "writer/tree.hpp"

namespace tacore::v1 {

/// `tree` as a Tortilla holds it (dossier v1 1.3): of any shape and depth, since children are found by their places.
/// Padding is gone. The columns of each level are `tortilla:file_format` of every row (as given, in the spelling of the
/// specification; TORTILLA for FOLDERs; else guessed from the bytes), `tortilla:data_split` where a row has one, then
/// `stac:*`, `rai:*`, `stats:*` and all others in their order. What a footer computes or never has is dropped:
/// `tortilla:id`, offsets and lengths, `internal:*`, a left-over index. `jobs` threads look at bytes.
///
/// Throws ValidationError: no samples, a FOLDER without any, an id that is empty, no UTF-8 or there twice, a
/// `tortilla:data_split` other than train, validation and test, a FILE called TORTILLA that is none, a column that is
/// there twice. IoError for a sample that cannot be read.
Tree footer_tree(Tree tree, Kind kind, int jobs);

/// A split as the specification spells it: train, validation or test, for `val`, `training`, ... too. nullopt for all
/// else.
std::optional<std::string> spelled_split(std::string_view name);

}  // namespace tacore::v1
