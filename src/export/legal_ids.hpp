#pragma once

#include "writer/tree.hpp"

/// Samples on their way between the versions before 2.0 and 2.0. Columns have the form of 2.0 on both sides
/// (table/tortilla_columns.hpp).
namespace tacore {

/// The same tree with ids that 2.0 allows, unique among siblings: where one is replaced, what it was is in the column
/// `tortilla:id`. The same id becomes the same in all folders whose other children allow it.
Tree with_legal_ids(Tree tree);

/// The reverse: ids are those of the column `tortilla:id` where it has one, and the column is gone. Throws SchemaError
/// for a column of this name that is not text.
Tree with_original_ids(Tree tree);

}  // namespace tacore
