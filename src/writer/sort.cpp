#include "writer/sort.hpp"

#include <algorithm>
#include <numeric>

#include "table/read_table.hpp"

namespace tacore {
namespace {

template <class T>
std::vector<T> take(const std::vector<T>& values, const std::vector<int64_t>& rows) {
  std::vector<T> out;
  out.reserve(rows.size());
  for (const int64_t row : rows) out.push_back(values[as_size(row)]);
  return out;
}

}  // namespace

Tree sort_siblings(const Tree& tree) {
  Tree out = tree;
  std::vector<int64_t> places(tree.levels.at(0).ids.size());  // of the rows of the level above, in the new order
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
