#pragma once

#include "writer/tree.hpp"

namespace tacore {

/// The same tree with the children of each FOLDER in the code-point order of `<id>/`. Roots stay where they are.
Tree sort_siblings(const Tree& tree);

}  // namespace tacore
