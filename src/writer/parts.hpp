#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "tacore/task.hpp"
#include "writer/tree.hpp"
#include "writer/write_options.hpp"

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

/// The ends of parts that are filled in order with items of these `sizes`, each with at least one. `split_size`: the
/// maximal sum of the sizes of several items, 0 for no limit.
std::vector<std::size_t> part_ends(const std::vector<uint64_t>& sizes, uint64_t split_size);

/// The output of create(): one file or folder, or the files that a dataset is split into.
struct Output {
  std::string path = {};  ///< as the user named it, for messages
  std::string folder = {};
  std::vector<std::string> names = {};  ///< in `folder`
  uint64_t num_bytes = 0;               ///< of all samples
  /// Writes a part to `path`. Returns its number of bytes of samples.
  std::function<uint64_t(std::size_t part, const std::string& path, const WriteOptions& options)> write = {};
  /// Writes the index of these files beside them, and returns its name. None: no index.
  std::function<std::string(const std::vector<std::string>& paths, const WriteOptions& options)> write_index = {};
};

/// Writes one part directly; several parts and their index into a staging directory, and renames them together. The
/// progress of `task` is that of all parts. Returns the paths of the parts.
std::vector<std::string> publish_parts(const Output& output, const Task& task, WriteOptions options);

/// Warns when one name became several files, which the user may not have asked for: what they are, and how they are
/// `opened` as one dataset.
void warn_of_parts(const Output& output, const char* what, uint64_t split_size, const std::string& opened);

}  // namespace tacore
