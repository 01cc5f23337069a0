#include "validate/pit.hpp"

#include <algorithm>
#include <span>

#include "base/text.hpp"
#include "format/names.hpp"
#include "model/identifier.hpp"
#include "validate/containers.hpp"

namespace tacore::validator {
namespace {

std::string shown(SampleType type, std::string_view id) { return std::string(to_string(type)) + " " + in_quotes(id); }

std::string children(std::size_t count) { return std::to_string(count) + (count == 1 ? " child" : " children"); }

std::size_t num_folders(const PitPattern& pattern, std::size_t before) {
  return static_cast<std::size_t>(
      std::count(pattern.type.begin(), pattern.type.begin() + static_cast<std::ptrdiff_t>(before), SampleType::Folder));
}

/// Compares the patterns of a schema with a shape, level by level.
class Comparison {
 public:
  Comparison(Report& report, const PitSchema& schema, const PitShape& shape, const std::string& path)
      : report_(report), schema_(schema), shape_(shape), path_(path) {}

  void compare(uint32_t node, std::size_t position) {
    const auto& found = shape_.nodes()[node];
    if (!found.num_children) return;
    const auto level = schema_.hierarchy.find(found.level);
    if (level == schema_.hierarchy.end()) return fail(found, "has no patterns for this level");
    if (position >= level->second.size()) {
      return fail(found, "has " + counted(level->second.size(), "pattern") + ", none for the children of " +
                             in_quotes(found.model));
    }
    const PitPattern& pattern = level->second[position];
    if (pattern.type.size() != *found.num_children) {
      fail(found, "has a pattern of " + children(pattern.type.size()) + ", but " + in_quotes(found.model) + " has " +
                      std::to_string(*found.num_children));
    }
    const std::size_t both = std::min(pattern.type.size(), found.children.size());
    for (std::size_t i = 0; i < both; ++i) compare_child(found, i, pattern);
    for (std::size_t i = 0; i < both; ++i) {
      if (found.children[i].node == PitShape::kNone || pattern.type[i] != SampleType::Folder) continue;
      compare(found.children[i].node, next_position(level->second, position, i));
    }
  }

 private:
  void compare_child(const PitShape::Node& found, std::size_t i, const PitPattern& pattern) {
    const auto& child = found.children[i];
    if (!child.type || is_padding_id(pattern.id[i])) return;
    if (*child.type == pattern.type[i] && child.id == pattern.id[i]) return;
    fail(found, "has " + shown(pattern.type[i], pattern.id[i]) + " as child " + std::to_string(i) + " of " +
                    in_quotes(found.model) + ", the rows have " + shown(*child.type, child.id));
  }

  /// One pattern for each FOLDER position of the level above, in order. Published writers list those of the first
  /// pattern only, at depth 3 and deeper; where their number shows that, they are used for all.
  std::size_t next_position(const std::vector<PitPattern>& patterns, std::size_t position, std::size_t child) const {
    std::size_t before = 0, all = 0;
    for (std::size_t p = 0; p < patterns.size(); ++p) {
      if (p == position) before = all + num_folders(patterns[p], child);
      all += num_folders(patterns[p], patterns[p].type.size());
    }
    const auto below = schema_.hierarchy.find(1 + level_of(patterns));
    const bool first_only = below != schema_.hierarchy.end() && below->second.size() < all &&
                            below->second.size() == num_folders(patterns[0], patterns[0].type.size());
    return first_only ? num_folders(patterns[position], child) : before;
  }
  int level_of(const std::vector<PitPattern>& patterns) const {
    const auto same = [&](const auto& level) { return &level.second == &patterns; };
    return std::find_if(schema_.hierarchy.begin(), schema_.hierarchy.end(), same)->first;
  }

  void fail(const PitShape::Node& found, const std::string& what) {
    report_.add("PIT-4", "taco:pit_schema " + what, {.path = path_, .level = found.level});
  }

  Report& report_;
  const PitSchema& schema_;
  const PitShape& shape_;
  const std::string& path_;
};

void check_counts(Report& report, const PitSchema& schema, const Checked& checked, const std::string& path) {
  for (std::size_t k = 0; k < checked.levels.size(); ++k) {
    if (!checked.levels[k]) continue;
    const int level = static_cast<int>(k);
    uint64_t n = schema.root_n;
    if (level > 0) {
      const auto patterns = schema.hierarchy.find(level);
      if (patterns == schema.hierarchy.end()) continue;
      n = 0;
      for (const auto& pattern : patterns->second) n += pattern.n;  // each at most 2^63; a wrapped sum is wrong, too
    }
    const auto rows = static_cast<uint64_t>(checked.levels[k]->num_rows());
    if (n == rows) continue;
    report.add("PIT-5", "n is " + std::to_string(n) + ", the level has " + counted(rows, "row"),
               {.path = path, .level = level});
  }
}

}  // namespace

void PitShape::begin(uint32_t node, std::string_view path) {
  node_ = node;
  path_ = path;
  position_ = 0;
  if (nodes_[node_].model.empty()) nodes_[node_].model = path;
}

uint32_t PitShape::add(Report& report, std::string_view id, SampleType type, const ErrorContext& where) {
  Node& node = nodes_[node_];
  const std::size_t position = position_++;
  if (position >= node.children.size()) node.children.emplace_back();
  if (is_padding_id(id)) return kNone;
  Child& child = node.children[position];
  if (!child.type) {
    child.type = type;
    child.id = id;
  } else if (*child.type != type || child.id != id) {
    report.add("PIT-1",
               "child " + std::to_string(position) + " of " + in_quotes(path_) + " is " + shown(type, id) + ", " +
                   shown(*child.type, child.id) + " expected, as in " + in_quotes(node.model),
               where);
  }
  if (type != SampleType::Folder) return kNone;
  if (child.node == kNone) {
    const uint32_t next = static_cast<uint32_t>(nodes_.size());
    child.node = next;
    const int below = node.level + 1;
    nodes_.push_back({.level = below});  // invalidates node and child
    return next;
  }
  return child.node;
}

void PitShape::end(Report& report, const ErrorContext& where) {
  Node& node = nodes_[node_];
  if (!node.num_children) node.num_children = position_;
  if (*node.num_children != position_) {
    report.add("PIT-1",
               in_quotes(path_) + " has " + children(position_) + ", " + std::to_string(*node.num_children) +
                   " expected, as in " + in_quotes(node.model),
               where);
  }
}

void check_pit_schema(Report& report, const PitSchema& schema, const PitShape& shape, const Checked& checked,
                      const std::string& path) {
  const auto num_levels = static_cast<int>(checked.levels.size());
  for (int k = num_levels; k <= schema.max_depth(); ++k) {
    report.add("LVL-1",
               "taco:pit_schema has level " + std::to_string(k) + ", but there is no table " +
                   std::string(names::kLevelFiles[k]),
               {.path = path, .level = k});
  }
  for (int k = schema.max_depth() + 1; k < num_levels; ++k) {
    report.add("LVL-1",
               "there is a table of level " + std::to_string(k) + ", but taco:pit_schema ends at level " +
                   std::to_string(schema.max_depth()),
               {.path = path, .level = k});
  }
  for (const auto& [level, fields] : checked.collection->field_schema) {
    const auto is_it = [&](const auto& file) { return file == level + ".parquet"; };
    if (std::ranges::none_of(std::span(names::kLevelFiles).first(checked.levels.size()), is_it))
      report.add("SCH-5", "taco:field_schema has " + in_quotes(level) + ", but there is no such table", {.path = path});
  }
  check_counts(report, schema, checked, path);
  if (num_levels > 1) Comparison(report, schema, shape, path).compare(PitShape::kRoot, 0);
}

}  // namespace tacore::validator
