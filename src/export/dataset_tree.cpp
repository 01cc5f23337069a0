#include "export/dataset_tree.hpp"

#include <algorithm>
#include <cerrno>
#include <map>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "base/log.hpp"
#include "base/text.hpp"
#include "base/threads.hpp"
#include "container/child_rows.hpp"
#include "container/read_hints.hpp"
#include "dataset/dataset_impl.hpp"
#include "export/zip_entries.hpp"
#include "format/names.hpp"
#include "io/vsi_path.hpp"
#include "model/identifier.hpp"
#include "table/column_check.hpp"
#include "table/read_table.hpp"
#include "table/stack_tables.hpp"
#include "table/tortilla_columns.hpp"
#include "tortilla/write/tree.hpp"
#include "writer/remote_payloads.hpp"
#include "writer/tree_sources.hpp"

namespace tacore {
namespace {

using Names = std::vector<std::string>;

/// The number of FILEs that are located together: the addresses of a million would take hundreds of megabytes.
constexpr std::size_t kFilesAtOnce = 1 << 14;

/// In versions before 2.0 a column `path` is a user's column.
bool is_metadata(std::string_view name, bool v1) {
  return name != names::kId && name != names::kType && (v1 || name != names::kPath) && !names::is_internal(name);
}

/// A container of a view, and its columns of a level, under the names of the view.
struct Leaf {
  int number = 0;
  std::shared_ptr<const Container> container = {};
  std::map<std::string, std::string> columns = {};
};

void add_leaves(const View& view, int number, int level, std::vector<Leaf>& out) {
  if (const auto* container = std::get_if<std::shared_ptr<const Container>>(&view.base)) {
    Leaf leaf{.number = number, .container = *container};
    for (const auto& column : stored_columns(view, level)) {
      if (is_metadata(column.name, is_v1((*container)->format()))) leaf.columns.emplace(column.name, column.name);
    }
    out.push_back(std::move(leaf));
    return;
  }
  const Union& all = std::get<Union>(view.base);
  const auto& columns = all.columns[as_size(level)];
  for (const auto& part : all.parts) {
    const std::size_t first = out.size();
    add_leaves(*part.view, number + part.first_leaf, level, out);
    for (std::size_t i = first; i < out.size(); ++i) {
      const auto inside = std::exchange(out[i].columns, {});
      for (std::size_t c = 0; c < columns.size(); ++c) {
        const auto found = inside.find(all.names[as_size(level)][c]);
        if (found != inside.end()) out[i].columns.emplace(columns[c].name, found->second);
      }
    }
  }
}

/// True when the columns of the view are the stored ones, whichever rows are selected.
bool keeps_stored_columns(const View& view) {
  if (changes_columns(view)) return false;
  const auto* all = std::get_if<Union>(&view.base);
  return !all || std::all_of(all->parts.begin(), all->parts.end(),
                             [](const UnionPart& part) { return keeps_stored_columns(*part.view); });
}

/// True when the rows have the stored metadata.
bool keeps_metadata(const Dataset::Impl& impl) { return !impl.has_given_rows && keeps_stored_columns(impl.view()); }

/// True when all containers are of versions before 2.0.
bool is_all_v1(const View& view) {
  if (const Container* container = view.container()) return is_v1(container->format());
  const auto& parts = std::get<Union>(view.base).parts;
  return std::all_of(parts.begin(), parts.end(), [](const UnionPart& part) { return is_all_v1(*part.view); });
}

/// The metadata in the order of the view.
Names metadata_names(const View& view, int level, bool v1) {
  Names out;
  for (const auto& column : stored_columns(view, level)) {
    if (is_metadata(column.name, v1)) out.push_back(column.name);
  }
  return out;
}

/// The rows of a level, and the positions of their parents in the level above.
struct LevelRowKeys {
  std::vector<RowKey> keys;
  std::vector<int64_t> parents;
};

class TreeBuilder {
  /// A FILE, and its position among the rows of its level.
  struct Place {
    int64_t position = 0;
    RowAddress address = {};
  };
  /// A file with samples: its payload, and its entries.
  struct Zip {
    Payload whole;
    ZipEntries entries;
  };

 public:
  /// `whole`: FOLDERs are written as the bytes of their nested Tortillas.
  explicit TreeBuilder(const View& view, int limit = kDefaultConcurrentRequests, bool whole = false)
      : view_(view), is_v1_(is_all_v1(view)), whole_(whole), limit_(limit) {}

  /// Appends a level. `rows`: the metadata of these rows, instead of the stored metadata.
  void add(const LevelRowKeys& level_rows, const std::shared_ptr<const Rows>& rows = nullptr) {
    const int level = static_cast<int>(out_.levels.size());
    const auto& keys = level_rows.keys;
    TreeLevel& here = out_.levels.emplace_back();
    here.ids.resize(keys.size());
    here.types.resize(keys.size());
    here.payloads.resize(keys.size());
    here.parents = level_rows.parents;
    std::map<int, std::vector<int64_t>> by_leaf;  // positions in `keys`
    for (std::size_t i = 0; i < keys.size(); ++i) by_leaf[keys[i].part].push_back(static_cast<int64_t>(i));
    std::vector<Leaf> leaves;
    add_leaves(view_, 0, level, leaves);
    std::vector<TablePart> parts;
    std::vector<int64_t> order;  // of the rows of `parts`: their positions
    for (const auto& leaf : leaves) {
      std::vector<int64_t> positions = std::move(by_leaf[leaf.number]);
      std::sort(positions.begin(), positions.end(),
                [&](int64_t a, int64_t b) { return keys[as_size(a)].row < keys[as_size(b)].row; });
      auto table = take(leaf, level, positions, keys, here, rows == nullptr);
      parts.push_back({std::move(table), static_cast<int64_t>(positions.size())});
      order.insert(order.end(), positions.begin(), positions.end());
    }
    here.columns = rows ? computed(*rows) : in_order(stack_tables(parts), order, metadata_names(view_, level, is_v1_));
    if (is_v1_) here.columns = from_footer_columns(here.columns);
  }

  /// Appends the levels below the last one of all containers, whose rows are the last ones added: the number of levels
  /// is known from the first nested Tortilla, and others may be deeper.
  void add_below(const Dataset::Impl& impl, const std::vector<RowKey>& rows) {
    const int level = static_cast<int>(out_.levels.size()) - 1;
    std::vector<v1::Nested> folders;
    std::vector<int64_t> parents;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (!is_v1_ || out_.levels.back().types[i] == SampleType::File) continue;
      const auto container = impl.leaf(rows[i].part);
      const VsiSubfile place = parse_vsi_subfile(container->vsi_path(container->address(level, rows[i].row)));
      folders.push_back({container->storage(), from_vsi(place.root), place.range});
      parents.push_back(static_cast<int64_t>(i));
    }
    for (auto& below : v1::levels_below(folders, level, num_threads(0))) {
      const bool is_first = static_cast<int>(out_.levels.size()) == level + 1;
      for (auto& parent : below.parents) parent = is_first ? parents[as_size(parent)] : parent;
      out_.levels.push_back(std::move(below));
    }
  }

  Tree finish() { return std::move(out_); }

 private:
  /// Fills the rows at `positions` of `here`, which belong to one container and ascend, and returns their metadata.
  std::shared_ptr<arrow::Table> take(const Leaf& leaf, int level, const std::vector<int64_t>& positions,
                                     const std::vector<RowKey>& keys, TreeLevel& here, bool with_columns) {
    const auto& table = leaf.container->stored_level(level);
    std::vector<int64_t> chosen;
    chosen.reserve(positions.size());
    std::vector<Place> files;
    for (const int64_t position : positions) {
      const int64_t row = keys[as_size(position)].row;
      chosen.push_back(row);
      RowAddress at = leaf.container->address(level, row);
      here.ids[as_size(position)] = at.id;
      here.types[as_size(position)] = at.type;
      if (whole_) here.types[as_size(position)] = SampleType::File;
      if (here.types[as_size(position)] == SampleType::File) files.push_back({position, std::move(at)});
      if (files.size() < kFilesAtOnce) continue;
      add_payloads(*leaf.container, files, here);
      files.clear();
    }
    add_payloads(*leaf.container, files, here);
    if (!with_columns) return nullptr;
    const auto rows = level_rows(table, std::nullopt, std::move(chosen));
    std::vector<std::pair<std::string, int>> columns;
    for (const auto& name : metadata_names(view_, level, is_v1_)) {
      const auto found = leaf.columns.find(name);
      if (found != leaf.columns.end()) columns.emplace_back(name, table->find(found->second));
    }
    return columns.empty() ? nullptr : to_table(*rows, columns);
  }

  void add_payloads(const Container& container, const std::vector<Place>& files, TreeLevel& here) {
    if (container.format() == Format::Folder) {
      std::vector<std::string> paths;
      for (const auto& file : files) paths.push_back(from_vsi(container.vsi_path(file.address)));
      auto payloads =
          container.is_local() ? local_payloads(paths) : remote_payloads(container.storage(), paths, limit_);
      for (std::size_t i = 0; i < files.size(); ++i) here.payloads[as_size(files[i].position)] = std::move(payloads[i]);
      return;
    }
    std::vector<VsiSubfile> places;
    std::map<std::string, std::size_t> counts;  // by path of the file
    for (const auto& file : files) {
      places.push_back(parse_vsi_subfile(container.vsi_path(file.address)));
      ++counts[places.back().root];
    }
    open_zips(container, counts);
    for (std::size_t i = 0; i < files.size(); ++i) {
      Zip& zip = zips_.at({container.storage().get(), places[i].root});
      Payload& out = here.payloads[as_size(files[i].position)];
      out = is_v1(container.format()) ? part_of(zip.whole, places[i].range)
                                      : zip.entries.payload_of(files[i].address, places[i].range, zip.whole);
    }
  }

  static std::vector<Payload> local_payloads(const std::vector<std::string>& paths) {
    std::vector<Payload> out;
    for (const auto& path : paths) out.push_back(payload_of(path));
    return out;
  }

  /// Opens the ZIPs that are not open yet, in parallel, for the entries of so many samples (`counts`, by GDAL path).
  void open_zips(const Container& container, const std::map<std::string, std::size_t>& counts) {
    const Storage& storage = *container.storage();
    std::vector<std::string> vsi, paths;
    for (const auto& [root, count] : counts) {
      if (zips_.contains({&storage, root})) continue;
      vsi.push_back(root);
      paths.push_back(from_vsi(root));
    }
    const bool are_zips = !is_v1(container.format());
    const auto sources = storage.open_all(paths, std::vector<ReadHint>(paths.size(), are_zips ? kReadZip : ReadHint()));
    for (std::size_t i = 0; i < vsi.size(); ++i) {
      if (!sources[i]) throw IoError("cannot open", {.path = paths[i]}, ENOENT);
      Zip zip{sources[i]->is_local() ? payload_of(paths[i]) : remote_payload(sources[i], paths[i]),
              ZipEntries(sources[i])};
      zips_.emplace(std::pair(&storage, vsi[i]), std::move(zip));
    }
    if (!are_zips) return;
    std::vector<std::pair<ZipEntries*, std::size_t>> expected;
    for (const auto& [root, count] : counts) expected.emplace_back(&zips_.at({&storage, root}).entries, count);
    run_parallel(expected.size(), container.is_local() ? num_threads(0) : Readers(limit_).num_threads,
                 [&](std::size_t i) { expected[i].first->expect(expected[i].second); });
  }

  static std::shared_ptr<arrow::Table> in_order(std::shared_ptr<arrow::Table> table, const std::vector<int64_t>& order,
                                                const Names& names) {
    if (!table) return nullptr;
    table = in_one_piece(select_columns(table, names));
    if (std::is_sorted(order.begin(), order.end())) return table;
    std::vector<int64_t> places(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) places[as_size(order[i])] = static_cast<int64_t>(i);
    return take_rows(*table, places);
  }

  std::shared_ptr<arrow::Table> computed(const Rows& rows) const {
    std::vector<std::pair<std::string, int>> columns;
    for (std::size_t c = 0; c < rows.columns().size(); ++c) {
      const std::string& name = rows.columns()[c].name;
      if (!is_metadata(name, is_v1_)) continue;
      if (const auto why = is_v1_ ? "" : why_bad_key(name); !why.empty()) {
        throw SchemaError("column " + in_quotes(name) + " of the query " + why + "; rename it with AS");
      }
      columns.emplace_back(name, static_cast<int>(c));
    }
    if (columns.empty()) return nullptr;
    auto out = in_one_piece(to_table(rows, columns));
    for (const auto& [name, column] : columns) check_column(name, *find_column(*out, name));
    return out;
  }

  const View& view_;
  bool is_v1_;
  bool whole_;
  int limit_;
  std::map<std::pair<const Storage*, std::string>, Zip> zips_;  ///< by GDAL path
  Tree out_;
};

void check_queries(const View& view, const std::string& path) {
  for (const auto& step : view.steps) {
    const auto* sql = std::get_if<SqlStep>(&step);
    if (!sql) continue;
    for (const int level : levels_read(sql->select)) {
      if (level == 0) continue;
      throw NavigationError("a query used level " + std::to_string(level) + ", so its rows are not only samples",
                            {.path = path});
    }
  }
  if (const auto* all = std::get_if<Union>(&view.base)) {
    for (const auto& part : all->parts) check_queries(*part.view, part.source_path);
  }
}

/// The samples of the view, in its order.
LevelRowKeys roots(const Dataset::Impl& impl, const Rows& rows) {
  if (rows.num_rows() == 0) throw QueryError("no samples are left", {.path = impl.path});
  LevelRowKeys out;
  std::unordered_set<int64_t> seen;
  for (int64_t row = 0; row < rows.num_rows(); ++row) {
    const auto key = rows.key(row);
    if (!key || key->level != 0) {
      throw NavigationError("row " + std::to_string(row) +
                                " cannot be traced to its sample: the query must keep the samples, use SELECT *",
                            {.path = impl.path});
    }
    if (!seen.insert(key->encode()).second) {
      throw NavigationError("row " + std::to_string(row) + " is a sample that occurs twice", {.path = impl.path});
    }
    out.keys.push_back(*key);
  }
  return out;
}

/// The children of the rows of `level`, by their positions: the cost depends on their number, not on the size of the
/// level. nullopt where the tree is not uniform.
std::optional<LevelRowKeys> computed_children_of(const Dataset::Impl& impl, int level,
                                                 const std::vector<RowKey>& parents) {
  LevelRowKeys out;
  std::map<int, std::shared_ptr<const Container>> leaves;
  for (std::size_t p = 0; p < parents.size(); ++p) {
    auto& container = leaves[parents[p].part];
    if (!container) container = impl.leaf(parents[p].part);
    if (sample_type(*container->stored_level(level), parents[p].row) == SampleType::File) continue;
    const auto range = computed_children(*container, level, parents[p].row);
    if (!range) return std::nullopt;
    const auto& below = container->stored_level(level + 1);
    const int id = below->find(names::kId);
    for (int64_t row = range->begin; row < range->begin + range->count; ++row) {
      if (below->may_have_padding() && is_padding_id(below->text(id, row).value_or(""))) continue;
      out.keys.push_back({parents[p].part, level + 1, row});
      out.parents.push_back(static_cast<int64_t>(p));
    }
  }
  return out;
}

/// The visible children of the rows of `level`, as read() gives them.
LevelRowKeys children_of(const Dataset::Impl& impl, int level, const std::vector<RowKey>& parents) {
  const View& view = impl.view();
  if (!restricts(view, level + 1)) {
    if (auto computed = computed_children_of(impl, level, parents)) return std::move(*computed);
  }
  const View drawn = impl.drawn_view();
  const auto pairs = Dataset::Impl::compute(QueryPlan(drawn, Dataset::Impl::describe).children(level));
  constexpr int kParent = 0, kChild = 2, kId = 3;
  std::unordered_map<int64_t, int64_t> first;  // of each parent
  for (int64_t row = 0; row < pairs->num_rows(); ++row) first.emplace(*pairs->integer(kParent, row), row);
  LevelRowKeys out;
  for (std::size_t p = 0; p < parents.size(); ++p) {
    const int64_t parent = parents[p].encode();
    const auto found = first.find(parent);
    if (found == first.end()) continue;
    for (int64_t row = found->second; row < pairs->num_rows() && pairs->integer(kParent, row) == parent; ++row) {
      const auto child = pairs->integer(kChild, row);
      if (!child || is_padding_id(pairs->text(kId, row).value_or(""))) continue;
      out.keys.push_back(RowKey::decode(*child));
      out.parents.push_back(static_cast<int64_t>(p));
    }
  }
  return out;
}

/// All rows of a level, by internal:parent_id. `places`: the positions of the rows of the level above.
LevelRowKeys all_children(const Container& container, int level, const std::vector<int64_t>& places) {
  const auto& table = container.stored_level(level);
  const int parent = table->find(names::kParentId);
  const auto& above = container.stored_level(level - 1);
  std::unordered_map<std::string, int64_t> by_id;  // older writers refer to the parent by its id
  const bool names_parent = parent >= 0 && table->columns()[as_size(parent)].type.find("string") != std::string::npos;
  if (names_parent) {
    for (int64_t row = 0; row < above->num_rows(); ++row)
      by_id.emplace(above->text(above->find(names::kId), row).value_or(""), row);
  }
  const auto parent_of = [&](int64_t row) {
    if (names_parent) {
      const auto found = by_id.find(table->text(parent, row).value_or(""));
      if (found != by_id.end()) return found->second;
    } else if (const auto id = parent < 0 ? std::nullopt : table->integer(parent, row)) {
      return container.row_of(level - 1, *id, *id);
    }
    throw FormatError("row " + std::to_string(row) + " has an internal:parent_id that is not a row of the level above",
                      table->where());
  };
  std::vector<int64_t> parents(as_size(table->num_rows())), order(parents.size());
  for (std::size_t row = 0; row < parents.size(); ++row)
    parents[row] = places[as_size(parent_of(static_cast<int64_t>(row)))];
  std::iota(order.begin(), order.end(), int64_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t a, int64_t b) { return parents[as_size(a)] < parents[as_size(b)]; });
  LevelRowKeys out;
  for (const int64_t row : order) {
    out.keys.push_back({0, level, row});
    out.parents.push_back(parents[as_size(row)]);
  }
  return out;
}

void add_descriptions(const Collection& collection, Tree& tree) {
  for (std::size_t k = 0; k < tree.levels.size(); ++k) {
    const auto found = collection.field_schema.find("level" + std::to_string(k));
    if (found == collection.field_schema.end()) continue;
    for (const auto& field : found->second) {
      if (!field.description.empty()) tree.levels[k].descriptions.emplace(field.name, field.description);
    }
  }
}

/// Samples of several datasets may have the same id.
void make_unique(TreeLevel& roots) {
  std::unordered_set<std::string> seen, all(roots.ids.begin(), roots.ids.end());
  std::string first;
  int64_t count = 0;
  for (auto& id : roots.ids) {
    if (seen.insert(id).second) continue;
    std::string other;
    for (int n = 2; other.empty() || all.contains(other); ++n) other = id + "_" + std::to_string(n);
    if (count++ == 0) first = in_quotes(id) + ", renamed to " + in_quotes(other);
    id = other;
    all.insert(other);
    seen.insert(std::move(other));
  }
  if (count > 0)
    log::warning(std::to_string(count) + (count == 1 ? " sample has" : " samples have") +
                 " the id of another: " + first);
}

}  // namespace

bool has_whole_tortillas(const Dataset& dataset) {
  const View& view = impl_of(dataset)->view();
  return is_all_v1(view) && !restricts(view, 1);
}

Tree roots_of_view(const Dataset& dataset) {
  const Dataset::Impl& impl = *impl_of(dataset);
  const View& view = impl.view();
  check_queries(view, impl.path);
  const auto rows = impl.rows();
  TreeBuilder builder(view, kDefaultConcurrentRequests, true);
  builder.add(roots(impl, *rows), keeps_metadata(impl) ? nullptr : rows);
  Tree out = builder.finish();
  make_unique(out.levels[0]);
  return out;
}

Tree tree_of_view(const Dataset& dataset, int limit) {
  const Dataset::Impl& impl = *impl_of(dataset);
  const View& view = impl.view();
  check_queries(view, impl.path);
  const auto rows = impl.rows();
  TreeBuilder builder(view, limit);
  LevelRowKeys level_rows = roots(impl, *rows);
  builder.add(level_rows, keeps_metadata(impl) ? nullptr : rows);
  int level = 0;
  for (; level + 1 < view.num_levels(); ++level) {
    LevelRowKeys below = children_of(impl, level, level_rows.keys);
    if (below.keys.empty()) break;
    builder.add(below);
    level_rows = std::move(below);
  }
  if (level + 1 == view.num_levels()) builder.add_below(impl, level_rows.keys);
  Tree out = builder.finish();
  make_unique(out.levels[0]);
  add_descriptions(dataset.collection(), out);
  return out;
}

Tree tree_of_container(const Dataset& dataset, int limit) {
  const View& view = impl_of(dataset)->view();
  const Container& container = *view.container();
  LevelRowKeys level_rows;
  for (int64_t row = 0; row < container.stored_level(0)->num_rows(); ++row) level_rows.keys.push_back({0, 0, row});
  TreeBuilder builder(view, limit);
  builder.add(level_rows);
  for (int level = 1; level < view.num_levels(); ++level) {
    std::vector<int64_t> places(level_rows.keys.size());
    for (std::size_t i = 0; i < places.size(); ++i) places[as_size(level_rows.keys[i].row)] = static_cast<int64_t>(i);
    level_rows = all_children(container, level, places);
    builder.add(level_rows);
  }
  Tree out = builder.finish();
  add_descriptions(dataset.collection(), out);
  return out;
}

}  // namespace tacore
