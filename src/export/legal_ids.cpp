#include "export/legal_ids.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "model/identifier.hpp"
#include "table/metadata_columns.hpp"
#include "table/read_table.hpp"

namespace tacore {
namespace {

constexpr const char* kOriginal = "tortilla:id";

/// True for an id that 2.0 allows and that does not mark padding, which readers hide.
bool is_legal(const std::string& id) { return why_bad_id(id).empty() && !is_padding_id(id); }

std::string legal(const std::string& id) {
  std::string out;
  for (const char c : id) out += is_legal("x" + std::string(1, c)) || static_cast<unsigned char>(c) >= 0x80 ? c : '_';
  if (!is_legal(out)) out.insert(0, "v1_");
  return out;
}

/// Replaces ids of rows [begin, end), which are siblings. `originals` gets the replaced ones.
void replace(std::vector<std::string>& ids, std::size_t begin, std::size_t end, std::vector<Value>& originals) {
  std::unordered_set<std::string> taken;
  for (std::size_t row = begin; row < end; ++row) {
    if (is_legal(ids[row])) taken.insert(ids[row]);
  }
  for (std::size_t row = begin; row < end; ++row) {
    if (is_legal(ids[row])) continue;
    const std::string plain = legal(ids[row]);
    std::string id = plain;
    for (int n = 2; !taken.insert(id).second; ++n) id = plain + "_" + std::to_string(n);
    originals[row] = std::exchange(ids[row], std::move(id));
  }
}

}  // namespace

Tree with_legal_ids(Tree tree) {
  for (auto& level : tree.levels) {
    if (std::all_of(level.ids.begin(), level.ids.end(), is_legal)) continue;
    std::vector<Value> originals(level.ids.size());
    for (std::size_t begin = 0, end = 0; begin < level.ids.size(); begin = end) {
      const auto same = [&](std::size_t row) {
        return level.parents.empty() || level.parents[row] == level.parents[begin];
      };
      while (end < level.ids.size() && same(end)) ++end;
      replace(level.ids, begin, end, originals);
    }
    level.columns = with_columns(level.columns, static_cast<int64_t>(level.ids.size()),
                                 {{.key = kOriginal, .values = std::move(originals), .type = "string"}});
  }
  return tree;
}

Tree with_original_ids(Tree tree) {
  for (auto& level : tree.levels) {
    if (!level.columns || !column_or_null(*level.columns, kOriginal)) continue;
    const auto originals = text_column(*level.columns, kOriginal, "");
    for (std::size_t row = 0; row < level.ids.size(); ++row) level.ids[row] = originals[row].value_or(level.ids[row]);
    level.columns = column_names(*level.columns).size() == 1 ? nullptr : without_column(level.columns, kOriginal);
  }
  return tree;
}

}  // namespace tacore
