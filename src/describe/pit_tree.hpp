#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tacore/pit_schema.hpp"

namespace tacore::descriptions {

/// The tree below every root sample (PIT), cut to a size that a page can show.
struct TreeNode {
  std::string id = {};  ///< "" for the root samples
  SampleType type = SampleType::File;
  std::vector<TreeNode> children = {};
  uint64_t num_more = 0;  ///< children that are left out
};

TreeNode pit_tree(const PitSchema& pit_schema);

/// The tree as text, one sample in a line, with lines drawn between parents and children. The first line counts the
/// `root_n` root samples. Control characters become spaces.
std::string draw(const TreeNode& root, uint64_t root_n);

/// 1234567 as "1,234,567".
std::string grouped(uint64_t number);

}  // namespace tacore::descriptions
