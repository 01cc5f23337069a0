#include "writer/tree.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <string_view>
#include <unordered_set>

#include "base/text.hpp"
#include "format/names.hpp"
#include "model/identifier.hpp"
#include "table/read_table.hpp"
#include "tacore/error.hpp"
#include "writer/differences.hpp"

namespace tacore {
namespace {

/// The FOLDERs at one position of the tree, and the children of the first of them.
struct Position {
  std::string first = {};  ///< path of the first of these FOLDERs
  std::vector<SampleType> types = {};
  std::vector<std::string> ids = {};
  uint64_t n = 0;               ///< number of children of all of them
  std::vector<int> below = {};  ///< positions of its FOLDER children, -1 for a FILE
};

class Checker {
 public:
  explicit Checker(const Tree& tree) : tree_(tree) {}

  PitSchema run() {
    if (tree_.levels.empty() || tree_.levels[0].ids.empty()) throw SchemaError("no samples; at least one expected");
    check_depth(tree_);
    check_padding(tree_);
    check_siblings(tree_, 0, 0, static_cast<int64_t>(tree_.levels[0].ids.size()));
    PitSchema out{.root_n = tree_.levels[0].ids.size(), .root_type = root_type()};
    std::vector<int> positions(tree_.levels[0].ids.size(), 0);
    std::vector<Position> above(1);
    for (int level = 0; out.root_type == SampleType::Folder && level + 1 < static_cast<int>(tree_.levels.size());
         ++level) {
      std::vector<Position> below;
      positions = descend(level, positions, above, below);
      auto& patterns = out.hierarchy[level + 1];
      for (auto& position : above) patterns.push_back({position.n, position.types, position.ids});
      above = std::move(below);
    }
    check_leaves();
    differences_.raise();
    return out;
  }

 private:
  /// The last level has no FOLDER, which would have no children.
  void check_leaves() {
    const auto& types = tree_.levels.back().types;
    for (std::size_t row = 0; row < types.size(); ++row) {
      if (types[row] == SampleType::File) continue;
      const auto path = tree_.path(static_cast<int>(tree_.levels.size()) - 1, static_cast<int64_t>(row));
      differences_.add("folder " + in_quotes(path) + " has no children");
    }
  }

  SampleType root_type() const {
    const auto& types = tree_.levels[0].types;
    const auto other = std::find_if(types.begin(), types.end(), [&](SampleType t) { return t != types[0]; });
    if (other != types.end()) {
      const auto row = other - types.begin();
      throw SchemaError("PIT violation: " + in_quotes(tree_.path(0, row)) + " is a " + to_string(*other) + ", " +
                        in_quotes(tree_.path(0, 0)) + " a " + to_string(types[0]) + "; roots of one type expected");
    }
    return types[0];
  }

  /// Compares the children of the FOLDERs of `level` with those of the first FOLDER at the same position. Returns the
  /// positions of the children that are FOLDERs (-1 for others), which `below` gets.
  std::vector<int> descend(int level, const std::vector<int>& positions, std::vector<Position>& above,
                           std::vector<Position>& below) {
    const auto begin = tree_.first_children(level);
    const auto& types = tree_.levels[static_cast<std::size_t>(level)].types;
    std::vector<int> out(tree_.levels[static_cast<std::size_t>(level) + 1].ids.size(), -1);
    for (int64_t row = 0; row < static_cast<int64_t>(types.size()); ++row) {
      const int64_t first = begin[as_size(row)], last = begin[as_size(row) + 1];
      if (types[as_size(row)] == SampleType::File) {
        if (first != last)
          throw SchemaError("sample " + in_quotes(tree_.path(level, row)) + " is a FILE with children");
        continue;
      }
      if (first == last) {
        differences_.add("folder " + in_quotes(tree_.path(level, row)) + " has no children");
        continue;
      }
      check_siblings(tree_, level + 1, first, last);
      if (positions[as_size(row)] < 0) continue;  // below a difference that was reported
      Position& position = above[static_cast<std::size_t>(positions[as_size(row)])];
      if (position.ids.empty()) {
        start(position, level, row, first, last, below);
      } else if (!compare(position, level, row, first, last, below)) {
        continue;
      }
      position.n += static_cast<uint64_t>(last - first);
      for (int64_t child = first; child < last; ++child) {
        const bool folder =
            tree_.levels[static_cast<std::size_t>(level) + 1].types[as_size(child)] == SampleType::Folder;
        out[as_size(child)] = folder ? position.below[as_size(child - first)] : -1;
      }
    }
    put_in_order(above, below, out);
    return out;
  }

  /// Positions are found in any order where padding precedes them; patterns follow the order of the tree.
  static void put_in_order(std::vector<Position>& above, std::vector<Position>& below, std::vector<int>& positions) {
    std::vector<int> places(below.size(), -1);
    std::vector<Position> ordered;
    for (auto& position : above) {
      for (int& b : position.below) {
        if (b < 0) continue;
        places[static_cast<std::size_t>(b)] = static_cast<int>(ordered.size());
        ordered.push_back(std::move(below[static_cast<std::size_t>(b)]));
        b = places[static_cast<std::size_t>(b)];
      }
    }
    below = std::move(ordered);
    for (int& p : positions) {
      if (p >= 0) p = places[static_cast<std::size_t>(p)];
    }
  }

  void start(Position& position, int level, int64_t row, int64_t first, int64_t last,
             std::vector<Position>& below) const {
    const auto& children = tree_.levels[static_cast<std::size_t>(level) + 1];
    position.first = tree_.path(level, row);
    for (int64_t child = first; child < last; ++child) {
      position.ids.emplace_back();
      position.types.emplace_back();
      position.below.emplace_back();
      place(position, as_size(child - first), children.ids[as_size(child)], children.types[as_size(child)], below);
    }
  }

  static void place(Position& position, std::size_t p, const std::string& id, SampleType type,
                    std::vector<Position>& below) {
    position.ids[p] = id;
    position.types[p] = type;
    position.below[p] = type == SampleType::Folder ? static_cast<int>(below.size()) : -1;
    if (type == SampleType::Folder) below.emplace_back();
  }

  /// Padding matches any position, a FOLDER of padding any FOLDER; the first other child at that position defines it.
  /// False when the children differ.
  bool compare(Position& position, int level, int64_t row, int64_t first, int64_t last, std::vector<Position>& below) {
    const auto& children = tree_.levels[static_cast<std::size_t>(level) + 1];
    const auto differ = [&](const std::string& what, const std::string& more = "") {
      differences_.add(in_quotes(tree_.path(level, row)) + " has " + what + " in " + in_quotes(position.first) + more);
      return false;
    };
    if (last - first != static_cast<int64_t>(position.ids.size())) {
      const std::span ids(children.ids.begin() + first, children.ids.begin() + last);
      return differ(std::to_string(last - first) + " children, " + std::to_string(position.ids.size()),
                    only_in(ids, position.ids, "also ") + only_in(position.ids, ids, "not "));
    }
    for (int64_t child = first; child < last; ++child) {
      const auto p = as_size(child - first);
      const std::string& id = children.ids[as_size(child)];
      const SampleType type = children.types[as_size(child)];
      const bool was_padding = is_padding_id(position.ids[p]);
      if (is_padding_id(id) && type == SampleType::File) continue;
      if (was_padding && position.types[p] == SampleType::File) {
        place(position, p, id, type, below);
        continue;
      }
      if (!is_padding_id(id) && !was_padding && id != position.ids[p]) {
        return differ("child " + in_quotes(id) + " at position " + std::to_string(p) + ", " +
                      in_quotes(position.ids[p]));
      }
      if (type != position.types[p]) {
        return differ(std::string("a ") + to_string(type) + " " + in_quotes(id) + ", a " +
                      to_string(position.types[p]));
      }
      if (was_padding) position.ids[p] = id;
    }
    return true;
  }

  /// The first of `ids` that `fallback` lacks, and the number of further ones; nothing when there is none.
  static std::string only_in(std::span<const std::string> ids, std::span<const std::string> fallback,
                             const char* word) {
    const std::unordered_set<std::string_view> there(fallback.begin(), fallback.end());
    std::string out;
    int count = 0;
    for (const auto& id : ids) {
      if (!is_padding_id(id) && !there.contains(id) && ++count == 1) out = std::string(" (") + word + in_quotes(id);
    }
    if (count > 1) out += " and " + std::to_string(count - 1) + " more";
    return count > 0 ? out + ")" : "";
  }

  const Tree& tree_;
  Differences differences_;
};

template <class T>
std::vector<T> take(const std::vector<T>& values, const std::vector<int64_t>& rows) {
  std::vector<T> out;
  out.reserve(rows.size());
  for (const int64_t row : rows) out.push_back(values[as_size(row)]);
  return out;
}

}  // namespace

std::vector<int64_t> Tree::first_children(int level) const {
  const auto& parents = levels.at(static_cast<std::size_t>(level) + 1).parents;
  const auto& ids = levels[static_cast<std::size_t>(level)].ids;
  std::vector<int64_t> out(ids.size() + 1, 0);
  for (const int64_t parent : parents) ++out[as_size(parent) + 1];
  for (std::size_t row = 0; row < ids.size(); ++row) out[row + 1] += out[row];
  return out;
}

std::string Tree::path(int level, int64_t row) const {
  std::string out = levels[static_cast<std::size_t>(level)].ids[as_size(row)];
  while (level > 0) {
    row = levels[static_cast<std::size_t>(level)].parents[as_size(row)];
    --level;
    out = levels[static_cast<std::size_t>(level)].ids[as_size(row)] + "/" + out;
  }
  return out;
}

uint64_t Tree::num_bytes() const {
  uint64_t out = 0;
  for (const auto& level : levels) {
    for (const auto& payload : level.payloads) out += payload.size;
  }
  return out;
}

std::vector<std::string> Tree::files() const {
  std::vector<std::string> out;
  for (const auto& level : levels) {
    for (const auto& payload : level.payloads) {
      if (payload.remote || payload.path.empty() || (!out.empty() && out.back() == payload.path)) continue;
      out.push_back(payload.path);
    }
  }
  return out;
}

std::vector<uint64_t> Tree::root_sizes() const {
  std::vector<uint64_t> below;
  for (std::size_t level = levels.size(); level-- > 0;) {
    std::vector<uint64_t> here(levels[level].ids.size());
    for (std::size_t row = 0; row < here.size(); ++row) here[row] = levels[level].payloads[row].size;
    if (level + 1 < levels.size()) {
      const auto& parents = levels[level + 1].parents;
      for (std::size_t child = 0; child < below.size(); ++child) here[as_size(parents[child])] += below[child];
    }
    below = std::move(here);
  }
  return below;
}

void check_depth(const Tree& tree) {
  constexpr int kBeyond = names::kMaxLevel + 1;
  if (tree.levels.size() <= kBeyond) return;
  throw SchemaError("a tree of " + std::to_string(tree.levels.size()) + " levels; at most " + std::to_string(kBeyond) +
                    " expected in TACO 2.0, and " + in_quotes(tree.path(kBeyond, 0)) + " is deeper");
}

void check_siblings(const Tree& tree, int level, int64_t begin, int64_t end) {
  const auto& here = tree.levels[static_cast<std::size_t>(level)];
  std::unordered_set<std::string_view> seen;
  seen.reserve(as_size(end - begin));
  for (int64_t row = begin; row < end; ++row) {
    const std::string& id = here.ids[as_size(row)];
    if (const auto why = why_bad_id(id); !why.empty()) {
      throw SchemaError("sample " + in_quotes(tree.path(level, row)) + ": its id " + why);
    }
    if (!seen.insert(id).second) throw SchemaError("sample " + in_quotes(tree.path(level, row)) + " occurs twice");
  }
}

void check_padding(const Tree& tree) {
  for (std::size_t level = 0; level < tree.levels.size(); ++level) {
    const auto& here = tree.levels[level];
    for (std::size_t row = 0; row < here.ids.size(); ++row) {
      const bool below = level > 0 && is_padding_id(tree.levels[level - 1].ids[as_size(here.parents[row])]);
      if (!is_padding_id(here.ids[row]) ? !below : here.payloads[row].size == 0) continue;
      throw SchemaError("sample " + in_quotes(tree.path(static_cast<int>(level), static_cast<int64_t>(row))) +
                        " is inside of padding, which readers hide; another id than __TACOPAD__... expected");
    }
  }
}

PitSchema check_tree(const Tree& tree) { return Checker(tree).run(); }

Tree sort_siblings(const Tree& tree) {
  Tree out = tree;
  std::vector<int64_t> places(tree.levels.at(0).ids.size());  // the rows of the level above, in the new order
  std::iota(places.begin(), places.end(), int64_t{0});
  for (std::size_t k = 1; k < tree.levels.size(); ++k) {
    const TreeLevel& from = tree.levels[k];
    std::vector<int64_t> rows(from.ids.size());
    std::iota(rows.begin(), rows.end(), int64_t{0});
    const auto parent = [&](int64_t row) { return places[as_size(from.parents[as_size(row)])]; };
    std::stable_sort(rows.begin(), rows.end(), [&](int64_t a, int64_t b) {
      if (parent(a) != parent(b)) return parent(a) < parent(b);
      return from.ids[as_size(a)] + "/" < from.ids[as_size(b)] + "/";
    });
    TreeLevel& to = out.levels[k];
    to.ids = take(from.ids, rows);
    to.types = take(from.types, rows);
    to.payloads = take(from.payloads, rows);
    for (std::size_t i = 0; i < rows.size(); ++i) to.parents[i] = parent(rows[i]);
    if (from.columns) to.columns = take_rows(*from.columns, rows);
    std::vector<int64_t> next(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) next[as_size(rows[i])] = static_cast<int64_t>(i);
    places = std::move(next);
  }
  return out;
}

}  // namespace tacore
