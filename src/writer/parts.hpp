#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "writer/tree.hpp"

namespace tacore {

/// A ZIP of a dataset that is written as several, and the rows of level 0 that go into it, ascending.
struct Part {
  std::string name = {};  ///< of the file
  std::vector<int64_t> roots = {};
};

/// Divides the samples of level 0 (dossier 3.3), each into one part. `name` is that of the dataset, `x.tacozip`.
///
/// `group_by`, columns of level 0: a part for each combination of their values, in the order first seen,
/// `x_{values}.tacozip`: joined by `_`, null as `None`, and `_` for what file names should not have. Padding goes with
/// the sample before it. `split_size`, bytes of samples, 0 for no limit: parts are filled in order, each with at least
/// one sample, `x_part0001.tacozip` or `x_{values}_part0001.tacozip`; what fits into one keeps the name without.
///
/// Throws SchemaError for a column that is not there, ValidationError for two parts of one name.
std::vector<Part> plan_parts(const Tree& tree, const std::string& name, uint64_t split_size,
                             const std::vector<std::string>& group_by);

/// The tree below these rows of level 0. It has all levels of the whole, and the columns of each.
Tree take_roots(const Tree& tree, const std::vector<int64_t>& roots);

}  // namespace tacore
