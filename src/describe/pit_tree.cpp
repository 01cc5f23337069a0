#include "describe/pit_tree.hpp"

#include <algorithm>
#include <numeric>

#include "base/text.hpp"

namespace tacore::descriptions {
namespace {

constexpr std::size_t kMostChildren = 12;
constexpr std::size_t kMostNodes = 400;

uint64_t num_folders(const PitPattern& pattern) {
  return static_cast<uint64_t>(std::count(pattern.type.begin(), pattern.type.end(), SampleType::Folder));
}

class Grower {
 public:
  explicit Grower(const PitSchema& pit_schema) : pit_schema_(pit_schema) {}

  /// `position`: of the FOLDER among all of the patterns of its level. Published files have fewer patterns than that
  /// from level 3 on; then they repeat.
  void add_children(TreeNode& parent, int level, std::size_t position) {
    const auto found = pit_schema_.hierarchy.find(level);
    if (found == pit_schema_.hierarchy.end() || found->second.empty()) return;
    const std::size_t at = position % found->second.size();
    const PitPattern& pattern = found->second[at];
    uint64_t folder =
        std::accumulate(found->second.begin(), found->second.begin() + static_cast<std::ptrdiff_t>(at), uint64_t{0},
                        [](uint64_t sum, const PitPattern& p) { return sum + num_folders(p); });
    for (std::size_t i = 0; i < pattern.id.size(); ++i) {
      if (i >= kMostChildren || num_nodes_ >= kMostNodes) {
        parent.num_more = pattern.id.size() - i;
        return;
      }
      ++num_nodes_;
      TreeNode& child = parent.children.emplace_back(TreeNode{.id = pattern.id[i], .type = pattern.type[i]});
      if (child.type == SampleType::Folder) add_children(child, level + 1, folder++);
    }
  }

 private:
  const PitSchema& pit_schema_;
  std::size_t num_nodes_ = 0;
};

void draw_children(const TreeNode& parent, const std::string& before, std::string& out) {
  for (std::size_t i = 0; i < parent.children.size(); ++i) {
    const TreeNode& child = parent.children[i];
    const bool last = i + 1 == parent.children.size() && parent.num_more == 0;
    out += before + (last ? "└── " : "├── ") + without_controls(child.id) + "  " + to_string(child.type) + "\n";
    draw_children(child, before + (last ? "    " : "│   "), out);
  }
  if (parent.num_more > 0) out += before + "└── ... " + grouped(parent.num_more) + " more\n";
}

}  // namespace

TreeNode pit_tree(const PitSchema& pit_schema) {
  TreeNode root{.type = pit_schema.root_type};
  if (root.type == SampleType::Folder) Grower(pit_schema).add_children(root, 1, 0);
  return root;
}

std::string draw(const TreeNode& root, uint64_t root_n) {
  std::string out = grouped(root_n) + " x " + to_string(root.type) + "\n";
  draw_children(root, "", out);
  return out;
}

std::string grouped(uint64_t number) {
  std::string out = std::to_string(number);
  for (std::size_t at = out.size(); at > 3;) out.insert(at -= 3, ",");
  return out;
}

}  // namespace tacore::descriptions
