#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tacore/pit_schema.hpp"

namespace tacore::descriptions {

/// What every sample has below it, cut where there is too much to look at.
struct TreeNode {
  std::string id = {};  ///< "" for the root samples
  SampleType type = SampleType::File;
  std::vector<TreeNode> children = {};
  uint64_t num_more = 0;  ///< children that are left out
};

TreeNode pit_tree(const PitSchema& pit_schema);

/// With lines between parents and children, each ended by a newline; control characters are blanks. `root_n` samples
/// are at the top.
std::string draw(const TreeNode& root, uint64_t root_n);

/// 1234567 as "1,234,567".
std::string grouped(uint64_t number);

}  // namespace tacore::descriptions
