#include "dataset/same_children.hpp"

#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "dataset/dataset_impl.hpp"
#include "format/names.hpp"

namespace tacore {
namespace {

/// Compares trees level by level. A *position* is the place of a row in every tree: the position of its parent, and its
/// number among its siblings. All rows at one position must have the same children; padding matches any row.
class SameChildren {
 public:
  /// Adds `rows` of QueryPlan::children(), of level 0 and then of each level below. False when trees differ, and for a
  /// FOLDER without children.
  bool add(const Rows& rows) {
    const int parent = 0, is_folder = 1, child = 2, id = 3;
    std::map<Position, std::vector<std::string>> expected;
    std::unordered_map<int64_t, Position> below;
    for (int64_t row = 0; row < rows.num_rows();) {
      const int64_t key = rows.integer(parent, row).value_or(0);
      const Position position = position_of(key);
      const bool childless = !rows.integer(child, row);
      if (childless && rows.text(is_folder, row) == "true") return false;
      std::vector<std::string> ids;
      for (; row < rows.num_rows() && rows.integer(parent, row) == key; ++row) {
        if (childless) continue;
        below.emplace(*rows.integer(child, row), number(position, ids.size()));
        ids.push_back(rows.text(id, row).value_or(""));
      }
      const auto [known, is_new] = expected.emplace(position, ids);
      if (!is_new && !matches(known->second, ids)) return false;
    }
    positions_ = std::move(below);
    return true;
  }

 private:
  using Position = int64_t;

  Position position_of(int64_t key) const {
    const auto found = positions_.find(key);
    return found == positions_.end() ? 0 : found->second;
  }

  Position number(Position parent, std::size_t child) {
    return numbers_.emplace(std::pair(parent, child), static_cast<Position>(numbers_.size()) + 1).first->second;
  }

  static bool matches(std::vector<std::string>& expected, const std::vector<std::string>& ids) {
    if (ids.size() != expected.size()) return false;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (ids[i].starts_with(names::kPadding)) continue;
      if (expected[i].starts_with(names::kPadding)) expected[i] = ids[i];
      if (expected[i] != ids[i]) return false;
    }
    return true;
  }

  std::unordered_map<int64_t, Position> positions_;  ///< by row key; all rows of level 0 share one
  std::map<std::pair<Position, std::size_t>, Position> numbers_;
};

}  // namespace

bool same_children(const View& view, int level) {
  SameChildren trees;
  for (int above = 0; above < level; ++above) {
    if (!trees.add(*Dataset::Impl::compute(QueryPlan(view, Dataset::Impl::describe).children(above)))) return false;
  }
  return true;
}

}  // namespace tacore
