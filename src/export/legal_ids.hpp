#pragma once

#include "writer/tree.hpp"

/// Conversion of ids between the versions before 2.0 and 2.0. Columns have the form of 2.0 in both
/// (table/tortilla_columns.hpp).
namespace tacore {

/// The tree with ids that 2.0 allows, unique among siblings; the column `tortilla:id` keeps replaced ids. Equal
/// ids are replaced equally in all folders where the other children allow it.
Tree with_legal_ids(Tree tree);

/// The inverse: ids are taken from the column `tortilla:id` where it has one, and the column is removed. Throws
/// SchemaError when this column is not text.
Tree with_original_ids(Tree tree);

}  // namespace tacore
