#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "writer/tree.hpp"

namespace tacore {

/// A ZIP of a dataset that is split into several, and its rows of level 0, ascending.
struct Part {
  std::string name = {};  ///< of the file
  std::vector<int64_t> roots = {};
};

/// Divides the samples of level 0 into parts, each into one. `name` is that of the dataset, `x.tacozip`.
///
/// `group_by`, columns of level 0: a part for each combination of their values, in the order first seen,
/// `x_{values}.tacozip`: values are joined by `_`, null as `None`, and characters unfit for file names as `_`. Padding
/// stays with the sample before it. `split_size`, bytes of samples, 0 for no limit: parts are filled in order, each
/// with at least one sample, `x_part0001.tacozip` or `x_{values}_part0001.tacozip`; a single part has no number.
///
/// Throws SchemaError for a missing column, ValidationError for two parts of one name.
std::vector<Part> plan_parts(const Tree& tree, const std::string& name, uint64_t split_size,
                             const std::vector<std::string>& group_by);

/// The tree below these rows of level 0. It has all levels of the whole, with the columns of each.
Tree take_roots(const Tree& tree, const std::vector<int64_t>& roots);

}  // namespace tacore
