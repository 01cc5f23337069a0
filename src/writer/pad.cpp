#include "writer/pad.hpp"

#include <algorithm>
#include <numeric>
#include <queue>
#include <unordered_map>
#include <unordered_set>

#include "base/text.hpp"
#include "format/names.hpp"
#include "model/identifier.hpp"
#include "table/read_table.hpp"
#include "tacore/error.hpp"
#include "writer/differences.hpp"

namespace tacore {
namespace {

const Payload& no_bytes() {
  static const Payload none{.held = std::make_shared<const SpillBuffer>(Bytes(), "")};
  return none;
}

std::string padding_id(std::size_t number) { return std::string(names::kPadding) + std::to_string(number); }

/// The union of the children of all FOLDERs at one position, and their order.
class Union {
 public:
  struct Child {
    std::string id = {};
    SampleType type = SampleType::File;
    std::string folder = {};  ///< path of the first FOLDER that has the child
  };

  /// Adds the rows [first, last) of `level` + 1, the children of `row`.
  void add(const Tree& tree, int level, int64_t row, int64_t first, int64_t last, Differences& differences) {
    const auto& children = tree.levels[as_size(level) + 1];
    std::string all;
    for (int64_t child = first; child < last; ++child) {
      if (is_padding_id(children.ids[as_size(child)])) continue;
      all += (children.types[as_size(child)] == SampleType::File ? 'f' : 'd') + children.ids[as_size(child)] + '/';
    }
    if (!seen_.insert(std::move(all)).second) return;  // the same children as an earlier FOLDER: the usual case
    const std::string folder = tree.path(level, row);
    std::vector<std::size_t> order;
    for (int64_t child = first; child < last; ++child) {
      const std::string& id = children.ids[as_size(child)];
      if (is_padding_id(id)) continue;
      const SampleType type = children.types[as_size(child)];
      const auto [found, is_new] = by_id_.emplace(id, children_.size());
      if (is_new) children_.push_back({id, type, folder});
      const Child& known = children_[found->second];
      if (known.type != type) {
        differences.add(in_quotes(folder + "/" + id) + " is a " + to_string(type) + ", " +
                        in_quotes(known.folder + "/" + id) + " a " + to_string(known.type));
      }
      order.push_back(found->second);
    }
    orders_.push_back(std::move(order));
  }

  bool empty() const { return children_.empty(); }

  /// An order that contains the orders of all FOLDERs (topological sort).
  std::vector<Child> merge(Differences& differences) const {
    std::vector<std::vector<std::size_t>> followers(children_.size());
    std::vector<std::size_t> num_before(children_.size());
    for (const auto& order : orders_) {
      for (std::size_t i = 1; i < order.size(); ++i) {
        followers[order[i - 1]].push_back(order[i]);
        ++num_before[order[i]];
      }
    }
    const auto behind = [&](std::size_t a, std::size_t b) { return children_[a].id + "/" > children_[b].id + "/"; };
    std::priority_queue<std::size_t, std::vector<std::size_t>, decltype(behind)> free(behind);
    for (std::size_t c = 0; c < children_.size(); ++c) {
      if (num_before[c] == 0) free.push(c);
    }
    std::vector<Child> out;
    while (!free.empty()) {
      const std::size_t next = free.top();
      free.pop();
      out.push_back(children_[next]);
      for (const std::size_t follower : followers[next]) {
        if (--num_before[follower] == 0) free.push(follower);
      }
    }
    if (out.size() < children_.size()) tell_contradiction(num_before, differences);
    return out;
  }

 private:
  /// The first two of the children whose orders form a circle.
  void tell_contradiction(const std::vector<std::size_t>& num_before, Differences& differences) const {
    std::vector<const Child*> circle;
    for (std::size_t c = 0; c < children_.size(); ++c) {
      if (num_before[c] > 0) circle.push_back(&children_[c]);
    }
    differences.add("the children " + in_quotes(circle[0]->id) + " and " + in_quotes(circle[1]->id) +
                    " are in different orders in " + in_quotes(circle[0]->folder) +
                    " and in other folders at its position");
  }

  std::unordered_set<std::string> seen_;
  std::unordered_map<std::string, std::size_t> by_id_;
  std::vector<Child> children_;
  std::vector<std::vector<std::size_t>> orders_;
};

class Padder {
 public:
  explicit Padder(const Tree& tree) : tree_(tree) {}

  Tree run() {
    check_roots();
    Tree out;
    out.levels.push_back(tree_.levels[0]);
    rows_.resize(tree_.levels[0].ids.size());
    std::iota(rows_.begin(), rows_.end(), int64_t{0});
    positions_.assign(rows_.size(), 0);
    std::size_t num_positions = 1;
    for (int level = 0; has_folders(out.levels.back()); ++level) {
      const auto begin = has_below(level) ? tree_.first_children(level) : std::vector<int64_t>();
      const auto slots = slots_of(out.levels.back(), level, begin, num_positions);
      differences_.raise();
      num_positions = descend(out, level, begin, slots);
    }
    return out;
  }

 private:
  using Slots = std::vector<Union::Child>;

  void check_roots() const {
    if (tree_.levels.empty() || tree_.levels[0].ids.empty()) throw SchemaError("no samples; at least one expected");
    check_depth(tree_);
    check_padding(tree_);
    const auto& types = tree_.levels[0].types;
    const auto other = std::find_if(types.begin(), types.end(), [&](SampleType t) { return t != types[0]; });
    if (other == types.end()) return;
    Differences found;
    found.add(in_quotes(tree_.path(0, other - types.begin())) + " is a " + to_string(*other) + ", " +
              in_quotes(tree_.path(0, 0)) + " a " + to_string(types[0]) + "; roots of one type expected");
    found.raise();
  }

  bool has_below(int level) const { return as_size(level) + 1 < tree_.levels.size(); }

  static bool has_folders(const TreeLevel& level) {
    return std::find(level.types.begin(), level.types.end(), SampleType::Folder) != level.types.end();
  }

  /// The children of each position of `level`.
  std::vector<Slots> slots_of(const TreeLevel& here, int level, const std::vector<int64_t>& begin,
                              std::size_t num_positions) {
    std::vector<Union> unions(num_positions);
    std::vector<int64_t> some(num_positions, -1);  // one FOLDER of each position
    for (std::size_t i = 0; i < here.ids.size(); ++i) {
      if (here.types[i] != SampleType::Folder || rows_[i] < 0) continue;
      some[positions_[i]] = rows_[i];
      if (begin.empty()) continue;
      const int64_t first = begin[as_size(rows_[i])], last = begin[as_size(rows_[i]) + 1];
      check_siblings(tree_, level + 1, first, last);
      unions[positions_[i]].add(tree_, level, rows_[i], first, last, differences_);
    }
    std::vector<Slots> out;
    for (std::size_t p = 0; p < num_positions; ++p) {
      if (out.emplace_back(unions[p].merge(differences_)).empty() && unions[p].empty()) {
        differences_.add(in_quotes(tree_.path(level, some[p])) +
                         " has no children, nor has any folder at its position");
      }
    }
    return out;
  }

  /// Adds the level below `level`, and returns the number of positions with FOLDERs in it.
  std::size_t descend(Tree& out, int level, const std::vector<int64_t>& begin, const std::vector<Slots>& slots) {
    std::vector<std::size_t> first_below;  // for each position, the number of its first FOLDER child
    std::size_t num_below = 0;
    for (const auto& list : slots) {
      first_below.push_back(num_below);
      for (const auto& slot : list) num_below += slot.type == SampleType::Folder ? 1 : 0;
    }
    const auto& here = out.levels.back();
    const auto& children = tree_.levels[as_size(level) + 1];
    TreeLevel below;
    std::vector<int64_t> rows;
    std::vector<std::size_t> positions;
    for (std::size_t i = 0; i < here.ids.size(); ++i) {
      if (here.types[i] != SampleType::Folder) continue;
      int64_t child = rows_[i] < 0 ? 0 : begin[as_size(rows_[i])];
      const int64_t last = rows_[i] < 0 ? 0 : begin[as_size(rows_[i]) + 1];
      const auto& list = slots[positions_[i]];
      std::size_t position = first_below[positions_[i]];
      for (std::size_t s = 0; s < list.size(); ++s) {
        while (child < last && is_padding_id(children.ids[as_size(child)])) ++child;
        const bool there = child < last && children.ids[as_size(child)] == list[s].id;
        below.ids.push_back(there ? list[s].id : padding_id(s));
        below.types.push_back(list[s].type);
        below.parents.push_back(static_cast<int64_t>(i));
        below.payloads.push_back(there                              ? children.payloads[as_size(child)]
                                 : list[s].type == SampleType::File ? no_bytes()
                                                                    : Payload());
        rows.push_back(there ? child++ : -1);
        positions.push_back(position);
        if (list[s].type == SampleType::Folder) ++position;
      }
    }
    if (children.columns) below.columns = take_rows(*children.columns, rows);
    below.descriptions = children.descriptions;
    out.levels.push_back(std::move(below));
    rows_ = std::move(rows);
    positions_ = std::move(positions);
    return num_below;
  }

  const Tree& tree_;
  // For the last level that was made, by row: its old row, -1 for padding, and the position of a FOLDER.
  std::vector<int64_t> rows_;
  std::vector<std::size_t> positions_;
  Differences differences_;
};

}  // namespace

Tree pad(const Tree& tree) { return Padder(tree).run(); }

Tree regular(Tree tree) {
  try {
    check_tree(tree);
    return tree;
  } catch (const SchemaError&) {
    return pad(tree);  // its own error when padding does not help
  }
}

Tree pad_to(const Tree& tree, int64_t n) {
  if (n < 1) throw ValidationError("padding to a multiple of " + std::to_string(n) + "; at least 1 expected");
  constexpr int64_t kMost = 1 << 24;  // more padding than is plausible for any number of samples
  if (n > kMost) {
    throw ValidationError("padding to a multiple of " + std::to_string(n) + "; at most " + std::to_string(kMost) +
                          " expected");
  }
  const bool nested = check_tree(tree).root_type == SampleType::Folder;
  Tree out = tree;
  TreeLevel& roots = out.levels[0];
  const auto count = static_cast<int64_t>(roots.ids.size());
  const int64_t missing = (n - count % n) % n;
  if (missing == 0) return out;
  const std::unordered_set<std::string> taken(roots.ids.begin(), roots.ids.end());
  std::vector<int64_t> rows(roots.ids.size());
  std::iota(rows.begin(), rows.end(), int64_t{0});
  for (std::size_t number = 0; static_cast<int64_t>(roots.ids.size()) < count + missing; ++number) {
    if (taken.contains(padding_id(number))) continue;
    roots.ids.push_back(padding_id(number));
    roots.types.push_back(nested ? SampleType::Folder : SampleType::File);
    roots.payloads.push_back(nested ? Payload() : no_bytes());
    rows.push_back(-1);
  }
  if (roots.columns) roots.columns = take_rows(*roots.columns, rows);
  return nested ? pad(out) : out;
}

}  // namespace tacore
