#include "container/child_rows.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "base/checked_math.hpp"
#include "format/names.hpp"

namespace tacore {
namespace {

/// The types of one period of a level: the rows below one row of the period above.
std::vector<SampleType> period_types(const PitSchema& pit, int level) {
  if (level == 0) return {pit.root_type};
  std::vector<SampleType> out;
  const auto patterns = pit.hierarchy.find(level);
  if (patterns == pit.hierarchy.end()) return out;
  for (const auto& pattern : patterns->second) out.insert(out.end(), pattern.type.begin(), pattern.type.end());
  return out;
}

/// The number of children of each row of a period; 0 for a FILE. Empty when the schema does not state it. Deeper
/// patterns are listed for the first pattern of a level only, so its siblings are assumed to be alike: are_children()
/// verifies it.
std::vector<int64_t> child_counts(const PitSchema& pit, int level) {
  const auto below = pit.hierarchy.find(level + 1);
  if (below == pit.hierarchy.end()) return {};
  std::vector<std::vector<SampleType>> groups;
  if (level == 0) {
    groups.push_back({pit.root_type});
  } else {
    for (const auto& pattern : pit.hierarchy.at(level)) groups.push_back(pattern.type);
  }
  std::vector<int64_t> out;
  for (const auto& group : groups) {
    std::size_t folder = 0;
    for (const SampleType type : group) {
      if (type == SampleType::File) {
        out.push_back(0);
      } else {
        if (folder == below->second.size()) return {};
        out.push_back(static_cast<int64_t>(below->second[folder++].type.size()));
      }
    }
  }
  return out;
}

/// True when rows [begin, begin + count) of the level below, and they alone, name `row` as their parent.
bool are_children(const Container& container, int level, int64_t row, const RowRange& range) {
  const auto& above = container.stored_level(level);
  const auto& below = container.stored_level(level + 1);
  const int parent = below->find(names::kParentId), source = below->find(names::kSourceFile);
  if (parent < 0 || range.begin < 0 || range.begin > below->num_rows() || range.count > below->num_rows() - range.begin)
    return false;
  const bool by_id = below->columns()[static_cast<std::size_t>(parent)].type.find("string") != std::string::npos;
  const int above_source = above->find(names::kSourceFile);
  const auto id = by_id ? above->text(above->find(names::kId), row) : std::nullopt;
  const auto current_id = container.current_id(level, row);
  const auto file = above_source < 0 ? std::nullopt : above->text(above_source, row);
  const auto is_child = [&](int64_t child) {
    if (source >= 0 && below->text(source, child) != file) return false;
    return by_id ? id && below->text(parent, child) == id : current_id && below->integer(parent, child) == current_id;
  };
  const auto& parents = container.parent_bounds(level + 1);
  const auto may_hold_children = [&](int group) {
    if (by_id) return !id || below->may_hold(parent, group, *id);
    const auto& bounds = parents[static_cast<std::size_t>(group)];
    return !bounds || !current_id || (*current_id >= bounds->first && *current_id <= bounds->second);
  };
  const int64_t end = range.begin + range.count;
  for (int64_t child = range.begin; child < end; ++child) {
    if (!is_child(child)) return false;
  }
  if ((range.begin > 0 && is_child(range.begin - 1)) || (end < below->num_rows() && is_child(end))) return false;
  // No other row may be a child. Row groups whose statistics exclude that, or whose parents ascend, are not read.
  const auto has_other_child = [&](int group) {
    if (!may_hold_children(group)) return false;
    const int64_t first = below->group_begin(group), last = below->group_begin(group + 1);
    if (!by_id && current_id) {
      if (const auto& runs = container.parent_runs(level + 1, group)) {
        if (range.begin < last && end > first)
          return false;  // its rows are there, and those beside them are no children
        const auto run = runs->find(source < 0 ? "" : file.value_or(""));
        if (run == runs->end() || *current_id < run->second.first || *current_id > run->second.second) return false;
      }
    }
    for (int64_t child = first; child < last; ++child) {
      if ((child < range.begin || child >= end) && is_child(child)) return true;
    }
    return false;
  };
  if (source >= 0 && file) return std::ranges::none_of(container.groups_of_source(level + 1, *file), has_other_child);
  for (int group = 0; group < below->num_row_groups(); ++group) {
    if (has_other_child(group)) return false;
  }
  return true;
}

}  // namespace

std::optional<RowRange> computed_children(const Container& container, int level, int64_t row) {
  const PitSchema& pit = container.tree();
  if (level + 1 >= container.num_levels()) return std::nullopt;
  const auto types = period_types(pit, level);
  const auto counts = child_counts(pit, level);
  if (counts.empty() || counts.size() != types.size()) return std::nullopt;
  const int64_t period = static_cast<int64_t>(types.size());
  const int64_t per_period = std::accumulate(counts.begin(), counts.end(), int64_t{0});
  // The children of the row with this position, where those of the first one begin at `first`.
  const auto find = [&](int64_t position, int64_t first) -> std::optional<RowRange> {
    const auto in_period = static_cast<std::size_t>(position % period);
    const int64_t before =
        std::accumulate(counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(in_period), first);
    const RowRange range{
        checked_add(checked_multiply(position / period, per_period, "row number"), before, "row number"),
        counts[in_period]};
    return range.count > 0 && are_children(container, level, row, range) ? std::optional(range) : std::nullopt;
  };
  const auto by_row = [&] { return find(row, 0); };
  const auto by_source = [&]() -> std::optional<RowRange> {
    const auto& above = container.stored_level(level);
    const int source = above->find(names::kSourceFile);
    const auto file = source < 0 ? std::nullopt : above->text(source, row);
    const auto position = container.current_id(level, row);
    const auto& below = container.stored_level(level + 1);
    if (!file || !position || *position < 0 || *position >= above->num_rows() || below->find(names::kRelativePath) < 0)
      return std::nullopt;
    const auto first = container.first_row_of_source(level + 1, *file);
    const auto found = first ? find(*position, *first) : std::nullopt;
    if (!found) return std::nullopt;
    // The number of the row in its ZIP is a claim of the index. It is proved by the path of a child, which begins with
    // the path of the row.
    const std::string path = container.relative_path(level, row) + "/";
    const std::string child = below->text(below->find(names::kId), found->begin).value_or("");
    return container.relative_path(level + 1, found->begin) == path + child ? found : std::nullopt;
  };
  // An index may have the samples of its ZIPs in any order. Their children are in the order of the ZIP. The way that
  // found the children of the row before is tried first, since the other one reads wrong rows.
  auto& is_ordered = container.is_in_own_order(level);
  auto out = is_ordered ? by_source() : by_row();
  if (out) return out;
  out = is_ordered ? by_row() : by_source();
  if (out) is_ordered = !is_ordered;
  return out;
}

}  // namespace tacore
