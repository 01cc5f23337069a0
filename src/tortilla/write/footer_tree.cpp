#include "tortilla/write/footer_tree.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <unordered_set>

#include "base/text.hpp"
#include "base/threads.hpp"
#include "format/names.hpp"
#include "format/tortilla_names.hpp"
#include "model/identifier.hpp"
#include "table/level_write.hpp"
#include "table/read_table.hpp"
#include "table/stored_table.hpp"
#include "table/tortilla_columns.hpp"
#include "tacore/error.hpp"
#include "tortilla/file_format.hpp"
#include "tortilla/header.hpp"

namespace tacore::v1 {
namespace {

bool has_padding(const Tree& tree) {
  return std::any_of(tree.levels.begin(), tree.levels.end(), [](const TreeLevel& level) {
    return std::any_of(level.ids.begin(), level.ids.end(), [](const auto& id) { return is_padding_id(id); });
  });
}

Tree without_padding(const Tree& tree) {
  constexpr int64_t kGone = -1;
  Tree out;
  std::vector<int64_t> above;  // for each row of the level above its new position
  for (const auto& from : tree.levels) {
    TreeLevel to;
    std::vector<int64_t> rows, here(from.ids.size(), kGone);
    for (std::size_t row = 0; row < from.ids.size(); ++row) {
      const int64_t parent = from.parents.empty() ? 0 : above[as_size(from.parents[row])];
      if (is_padding_id(from.ids[row]) || parent == kGone) continue;
      here[row] = static_cast<int64_t>(rows.size());
      rows.push_back(static_cast<int64_t>(row));
      to.ids.push_back(from.ids[row]);
      to.types.push_back(from.types[row]);
      to.payloads.push_back(from.payloads[row]);
      if (!from.parents.empty()) to.parents.push_back(parent);
    }
    if (from.columns) to.columns = take_rows(*from.columns, rows);
    above = std::move(here);
    if (out.levels.empty() || !to.ids.empty()) out.levels.push_back(std::move(to));
  }
  return out;
}

class Checker {
 public:
  explicit Checker(const Tree& tree) : tree_(tree) {}

  void run() const {
    if (tree_.levels.empty() || tree_.levels[0].ids.empty()) throw ValidationError("no samples; at least one expected");
    if (tree_.levels.size() > kMaxLevels) {
      fail(kMaxLevels, 0, "is below level " + std::to_string(kMaxLevels - 1) + ", the deepest that is written");
    }
    check_ids(0, 0, static_cast<int64_t>(tree_.levels[0].ids.size()));
    for (int level = 0; level < static_cast<int>(tree_.levels.size()); ++level) {
      const bool is_last = level + 1 == static_cast<int>(tree_.levels.size());
      const auto first = is_last ? std::vector<int64_t>() : tree_.first_children(level);
      const auto& types = tree_.levels[as_size(level)].types;
      for (int64_t row = 0; row < static_cast<int64_t>(types.size()); ++row) {
        const int64_t begin = is_last ? 0 : first[as_size(row)], end = is_last ? 0 : first[as_size(row) + 1];
        const bool is_folder = types[as_size(row)] == SampleType::Folder;
        if (is_folder && begin == end) fail(level, row, "is a FOLDER without samples; at least one expected");
        if (!is_folder && begin != end) fail(level, row, "is a FILE with children");
        if (is_folder) check_ids(level + 1, begin, end);
      }
    }
  }

 private:
  /// Any text may be an id, but it must be unique in its container.
  void check_ids(int level, int64_t begin, int64_t end) const {
    const auto& ids = tree_.levels[as_size(level)].ids;
    std::unordered_set<std::string_view> seen;
    for (int64_t row = begin; row < end; ++row) {
      const std::string& id = ids[as_size(row)];
      if (id.empty()) fail(level, row, "has no id");
      if (!is_utf8(id)) fail(level, row, "has an id that is not UTF-8");
      if (!seen.insert(id).second) fail(level, row, "occurs twice");
    }
  }

  [[noreturn]] void fail(int level, int64_t row, const std::string& what) const {
    throw ValidationError("sample " + in_quotes(tree_.path(level, row)) + " " + what);
  }

  const Tree& tree_;
};

std::vector<std::optional<std::string>> texts_of(const TreeLevel& level, std::string_view name) {
  const std::string column(name);
  const auto names = level.columns ? column_names(*level.columns) : std::vector<std::string>();
  if (std::find(names.begin(), names.end(), column) == names.end())
    return std::vector<std::optional<std::string>>(level.ids.size());
  return text_column(*level.columns, column, "");
}

class Formats {
 public:
  Formats(const Tree& tree, int level)
      : tree_(tree), level_(level), rows_(tree.levels[static_cast<std::size_t>(level)]) {}

  std::vector<std::string> run(int jobs) const {
    const auto given = texts_of(rows_, columns::kFileFormat);
    std::vector<std::string> out(rows_.ids.size());
    run_parallel(out.size(), jobs, [&](std::size_t row) { out[row] = format_of(row, given[row]); });
    return out;
  }

 private:
  std::string format_of(std::size_t row, const std::optional<std::string>& given) const {
    if (rows_.types[row] == SampleType::Folder) return std::string(columns::kTortilla);
    const std::string name = given ? spelled_format(*given) : "";
    if (!name.empty() && name != columns::kTortilla) return name;
    const Payload& payload = rows_.payloads[row];
    if (name.empty()) return guess_format(payload);
    try {
      parse_header(read_head(payload), payload.size);
    } catch (const FormatError& error) {
      throw ValidationError("sample " + in_quotes(tree_.path(level_, static_cast<int64_t>(row))) +
                            " has the format TORTILLA, but is not one: " + error.message());
    }
    return name;
  }

  const Tree& tree_;
  int level_;
  const TreeLevel& rows_;
};

/// The splits of a level in the spelling of the specification, empty when no row has one.
std::vector<std::optional<std::string>> splits_of(const Tree& tree, int level) {
  auto out = texts_of(tree.levels[static_cast<std::size_t>(level)], columns::kDataSplit);
  bool is_any = false;
  for (std::size_t row = 0; row < out.size(); ++row) {
    if (!out[row]) continue;
    auto spelled = spelled_split(*out[row]);
    if (!spelled) {
      throw ValidationError("sample " + in_quotes(tree.path(level, static_cast<int64_t>(row))) + " has the split " +
                            in_quotes(*out[row]) + "; train, validation or test expected");
    }
    out[row] = std::move(spelled);
    is_any = true;
  }
  return is_any ? out : std::vector<std::optional<std::string>>();
}

bool is_computed(std::string_view name) {
  const std::array computed = {columns::kId,     columns::kFileFormat, columns::kDataSplit,
                               columns::kOffset, columns::kLength,     columns::kIndex};
  return std::find(computed.begin(), computed.end(), name) != computed.end() ||
         name.starts_with(tacore::names::kInternal);
}

/// The stored columns of a level beside the computed ones, in the order of a footer.
std::vector<std::string> other_columns(const TreeLevel& level) {
  if (!level.columns) return {};
  auto out = column_names(*level.columns);
  std::erase_if(out, is_computed);
  const auto place = [](const std::string& name) {
    const std::array<std::string_view, 3> prefixes = {"stac:", "rai:", "stats:"};
    return std::find_if(prefixes.begin(), prefixes.end(), [&](auto prefix) { return name.starts_with(prefix); }) -
           prefixes.begin();
  };
  std::stable_sort(out.begin(), out.end(), [&](const auto& a, const auto& b) { return place(a) < place(b); });
  std::set<std::string> seen;
  for (const auto& name : out) {
    if (!seen.insert(name).second) throw ValidationError("column " + in_quotes(name) + " occurs twice");
  }
  return out;
}

}  // namespace

std::optional<std::string> spelled_split(std::string_view name) {
  static const std::map<std::string_view, std::string_view> kSplits = {
      {"train", "train"},      {"validation", "validation"}, {"test", "test"},   {"val", "validation"},
      {"valid", "validation"}, {"training", "train"},        {"testing", "test"}};
  const auto known = kSplits.find(name);
  return known == kSplits.end() ? std::nullopt : std::optional<std::string>(known->second);
}

Tree footer_tree(Tree tree, Kind kind, int jobs) {
  if (has_padding(tree)) tree = without_padding(tree);
  Checker(tree).run();
  for (int level = 0; level < static_cast<int>(tree.levels.size()); ++level) {
    TreeLevel& here = tree.levels[static_cast<std::size_t>(level)];
    here.columns = to_footer_columns(here.columns, kind == Kind::Taco ? "stac:tensor_shape" : "stac:raster_shape");
    const auto fallback = other_columns(here);
    const auto splits = splits_of(tree, level);
    auto columns = add_column(nullptr, columns::kFileFormat, Formats(tree, level).run(jobs));
    if (!splits.empty()) columns = add_column(columns, columns::kDataSplit, splits);
    if (!fallback.empty())
      columns = beside(columns, with_item_names(*in_one_piece(select_columns(here.columns, fallback))));
    here.columns = columns;
  }
  return tree;
}

}  // namespace tacore::v1
