#pragma once

#include <cstdint>

#include "writer/tree.hpp"

namespace tacore {

/// The same tree with padding `__TACOPAD__N` (N its position) wherever a FOLDER lacks a child that others at its
/// position have: a FILE of no bytes, or a FOLDER with placeholders in it; their metadata is null. Siblings keep their
/// order; those without a required order are sorted in the code-point order of `<id>/`. Existing padding is replaced,
/// so pad(pad(tree)) is pad(tree). Throws SchemaError for what cannot be completed: roots of both types, one id with
/// both types, contradicting orders, FOLDERs of a position that have no children at all; and for ids as check_tree().
Tree pad(const Tree& tree);

/// The same tree where check_tree() passes it, else pad(tree).
Tree regular(Tree tree);

/// Appends padding to the roots of a tree until their number is a multiple of `n`: `__TACOPAD__0`, `__TACOPAD__1`, ...;
/// beside FOLDERs these are FOLDERs of placeholders. Throws ValidationError for n < 1 and n > 2^24, SchemaError for an
/// irregular tree of FOLDERs.
Tree pad_to(const Tree& tree, int64_t n);

}  // namespace tacore
