#include "query/query_plan.hpp"

#include <algorithm>
#include <map>

#include "base/log.hpp"
#include "base/text.hpp"
#include "format/names.hpp"
#include "model/wkb.hpp"
#include "query/sql_functions.hpp"
#include "table/arrow_stream.hpp"
#include "table/rows.hpp"
#include "table/sidecar_table.hpp"

namespace tacore {
namespace {

// The most parts of a union. DuckDB 1.4 plans one by recursion: 1,000 parts need a stack of 3 MB, and 1,500 overflow
// one of 4 MB, as callers in other languages have.
constexpr std::size_t kMostUnited = 1000;

// Shifts a row key to the number of its container, to compare the containers of two rows.
constexpr int kLeafShift = RowKey::kRowBits + RowKey::kLevelBits;

bool has(const std::vector<Column>& columns, std::string_view name) {
  return std::any_of(columns.begin(), columns.end(), [&](const Column& c) { return c.name == name; });
}

/// Columns that a container may store but that are computed here.
bool is_rebuilt(std::string_view name) {
  return name == names::kGdalVsi || name == names::kSubfile || name == kRowKeyColumn;
}

/// The path columns of the rows of a view.
std::vector<std::string_view> path_columns(const View& view) {
  const View* at = &view;
  while (!at->container()) at = std::get<Union>(at->base).parts[0].view.get();
  if (is_v1(at->container()->format())) return {names::kSubfile, names::kGdalVsi};
  return {names::kGdalVsi};
}

std::string id(std::string_view name) { return sql_identifier(name); }

/// The input of statistics: `columns`, and the key that leads to the sample.
std::string of_alias(const std::string& alias, const std::vector<std::string>& columns) {
  std::string out = alias + "." + id(kRowKeyColumn);
  for (const auto& column : columns) out += ", " + alias + "." + id(column);
  return out;
}

/// True when a query of the view, or of a part, has the property `does`.
bool any_query(const View& view, bool SqlStep::*does) {
  for (const auto& step : view.steps) {
    const auto* sql = std::get_if<SqlStep>(&step);
    if (sql && sql->*does) return true;
  }
  const auto* all = std::get_if<Union>(&view.base);
  return all && std::any_of(all->parts.begin(), all->parts.end(),
                            [&](const auto& part) { return any_query(*part.view, does); });
}

/// Builds one statement: a flat list of common table expressions, each named once. Nested ones take exponential time in
/// DuckDB 1.4, and a materialised one would read a whole level.
class Planner {
 public:
  /// The rows that the first `steps` steps of the whole view keep: they pass these filters by place and, where `ids` is
  /// not empty, have one of these ids. Different numbers of steps in one statement keep different rows.
  struct Wanted {
    std::size_t steps = 0;
    std::vector<Filter> filters = {};
    std::vector<std::string> ids = {};

    bool is_all() const { return filters.empty() && ids.empty(); }
  };
  /// The columns of queries, by view and number of steps: shared with the plans that describe them.
  using Known = std::map<std::pair<const View*, std::size_t>, SqlColumns>;

  /// `with_path`: levels have internal:gdal_vsi, as where a query names it.
  Planner(const QueryPlan::Describe& describe, const View& view, bool with_path = false)
      : Planner(describe, with_path || names_path(view), std::make_shared<Known>()) {
    // The offsets of levels are verified first where a query names internal:offset or internal:size.
    with_place_ = with_path_ || any_query(view, &SqlStep::names_place);
  }
  /// A plan for describing columns only.
  Planner(const QueryPlan::Describe& describe, bool with_path, std::shared_ptr<Known> known)
      : describe_(describe), with_path_(with_path), known_(std::move(known)) {}

  Statement finish(const std::string& select) {
    Statement out = statement_;
    if (!ctes_.empty()) out.sql = "WITH " + join(ctes_, ",\n") + "\n";
    out.sql += select;
    return out;
  }

  /// The rows of the view after its first `steps` steps.
  std::string rows(const View& view, int leaf, std::size_t steps) {
    if (steps == 0) return stored_near(view, leaf, 0, leading(view));
    const Key key{&view, leaf, 0, static_cast<int>(steps), 'v'};
    if (const auto found = names_.find(key); found != names_.end()) return found->second;
    return define(key, is_drawn(view, steps) ? drawn_rows(view, leaf) : step_rows(view, leaf, steps));
  }

  std::string rows(const View& view, int leaf) { return rows(view, leaf, view.steps.size()); }

  /// These rows as the SELECT that ends the statement: each common table expression costs DuckDB an eighth of a
  /// millisecond.
  std::string last_rows(const View& view, int leaf) {
    if (view.steps.empty()) return "SELECT * FROM " + stored(view, leaf, 0);
    const std::size_t steps = view.steps.size();
    if (is_drawn(view, steps)) return "SELECT * FROM (" + drawn_rows(view, leaf) + ")";
    const std::string body = step_rows(view, leaf, steps);
    if (repeats_ids(view)) return "SELECT * EXCLUDE (" + id(names::kRelativePath) + ") FROM (" + body + ")";
    return ctes_.empty() ? body : "SELECT * FROM (" + body + ")";
  }

  /// True where the result need not have internal:relative_path: at level 0 it equals the id, which frames show in its
  /// place, and no query of the view names it. Rows that are drawn need it, as the input of further statements.
  static bool repeats_ids(const View& view) {
    return only_chooses_rows(view) && !view.drawn && !draws(view) &&
           view.container()->stored_level(0)->find(names::kRelativePath) < 0 &&
           std::ranges::none_of(view.steps, [](const Step& step) {
             const auto* sql = std::get_if<SqlStep>(&step);
             return sql && lower(sql->select.text).find(names::kRelativePath) != std::string::npos;
           });
  }

  /// The rows of a level before any step of this view, without padding. Inputs of a union include their own filters.
  std::string stored(const View& view, int leaf, int level, bool padding = false) {
    const Key key{&view, leaf, level, padding, 's'};
    if (const auto found = names_.find(key); found != names_.end()) return found->second;
    return define(key, stored_rows(view, leaf, level, padding));
  }

  /// The rows of stored() that may be wanted: pages that have none, by an index or their bounds, are left out.
  std::string stored_near(const View& view, int leaf, int level, const Wanted& wanted) {
    if (wanted.is_all()) return stored(view, leaf, level);
    const Key key{&view, leaf, level, static_cast<int>(wanted.steps), 'b'};
    if (const auto found = names_.find(key); found != names_.end()) return found->second;
    if (!view.container()) return define(key, union_level(view, leaf, level, false, wanted));
    const auto selection = near(*view.container(), level, wanted);
    if (!selection.table) return stored(view, leaf, level);
    return define(key, leaf_level(*view.container(), leaf, level, false, selection));
  }

  /// The rows of `level` that match the filters on their level (of the first `steps` steps) and have a descendant for
  /// each deeper filter.
  std::string surviving(const View& view, int leaf, int level, std::size_t steps) {
    const int target = deepest(view, steps);
    if (level > target) return stored(view, leaf, level);
    const Key key{&view, leaf, level, static_cast<int>(steps), 'u'};
    if (const auto found = names_.find(key); found != names_.end()) return found->second;
    Wanted wanted{.steps = steps};
    std::string conditions;
    for (std::size_t i = 0; i < steps; ++i) {
      const auto* filter = std::get_if<Filter>(&view.steps[i]);
      if (filter && filter->level == level && level > 0) {
        conditions += " AND (" + condition(view, *filter, stored_columns(view, level)) + ")";
        if (std::holds_alternative<BBox>(filter->test)) wanted.filters.push_back(*filter);
      }
    }
    std::string body = "SELECT * FROM " + stored_near(view, leaf, level, wanted) + " p WHERE true" + conditions;
    if (level < target) {
      const std::string below = surviving(view, leaf, level + 1, steps);
      body += " AND EXISTS (SELECT 1 FROM " + below + " c WHERE " + joins(view, level + 1, "c", "p") + ")";
    }
    return define(key, body);
  }

  /// The rows of `level` that are left after all filters of the view, those of its level 0 included.
  std::string visible(const View& view, int leaf, int level) {
    if (view.steps.empty()) return stored(view, leaf, level);
    check_keys(view, leaf, view.steps.size(), "other levels cannot be read");
    const Key key{&view, leaf, level, 0, 'r'};
    if (const auto found = names_.find(key); found != names_.end()) return found->second;
    if (level == 0) {
      // Rows are matched by key only: a query may have dropped or changed the other columns.
      const std::string k = id(kRowKeyColumn);
      return define(key, "SELECT * FROM " + stored(view, leaf, 0) + " WHERE " + k + " IN (SELECT " + k + " FROM " +
                             rows(view, leaf) + ")");
    }
    const std::string above = visible(view, leaf, level - 1);
    return define(key, "SELECT * FROM " + surviving(view, leaf, level, view.steps.size()) +
                           " c WHERE EXISTS (SELECT 1 FROM " + above + " p WHERE " + joins(view, level, "c", "p") +
                           ")");
  }

  /// The rows of `level` after the first `steps` steps, in their order, with the columns of their ancestors: `lN:name`
  /// first, `l0:name` last. `internal`: with internal:* columns but those that join levels.
  std::string with_ancestors(const View& view, int leaf, int level, std::size_t steps, bool internal) {
    return "SELECT " + join(prefixed(view, leaf, level, steps, internal), ", ") + ", c" + std::to_string(level) + "." +
           id(kRowKeyColumn) + " FROM " + joined(view, leaf, level, steps) + " ORDER BY " +
           order_below(view, level, steps);
  }

  /// The FILEs of `level` below the rows of the view, with the columns of their ancestors, and their path.
  std::string files(const View& view, int leaf, int level) {
    const std::size_t steps = view.steps.size();
    const std::string own = level == 0 ? parents(view, steps) : "c" + std::to_string(level);
    auto columns = prefixed(view, leaf, level, steps, false);
    columns.push_back(own + "." + id(names::kGdalVsi) + " AS gdal_vsi");
    std::optional<int64_t> limit;
    for (const auto& step : view.steps) {
      const auto* first = std::get_if<LimitStep>(&step);
      if (first && (!limit || first->count < *limit)) limit = first->count;
    }
    return "SELECT " + join(columns, ", ") + ", " + own + "." + id(kRowKeyColumn) + " FROM " +
           joined(view, leaf, level, steps) + " WHERE " + own + "." + id(names::kType) + " = 'FILE' ORDER BY " +
           order_below(view, level, steps) + (limit ? " LIMIT " + std::to_string(*limit) : "");
  }

  /// The condition that row `c` of `level` is a child of `p` of the level above.
  std::string joins(const View& view, int level, const std::string& c, const std::string& p) const {
    const auto columns = stored_columns(view, level);
    const auto parent =
        std::find_if(columns.begin(), columns.end(), [](const Column& x) { return x.name == names::kParentId; });
    if (parent == columns.end()) {
      throw SchemaError("no column 'internal:parent_id': its rows cannot be joined",
                        {.path = view.container() ? view.container()->path() : "", .offset = {}, .level = level});
    }
    // Old files refer to the parent by its id (docs/deviations.md, row 3).
    const bool by_id = parent->type.find("string") != std::string::npos;
    std::string out = c + "." + id(names::kParentId) + " = " + p + "." + id(by_id ? names::kId : names::kCurrentId);
    if (has(columns, names::kSourceFile))
      out += " AND " + c + "." + id(names::kSourceFile) + " = " + p + "." + id(names::kSourceFile);
    if (!view.container()) {
      const std::string shift = " >> " + std::to_string(kLeafShift);
      out += " AND (" + c + "." + id(kRowKeyColumn) + shift + ") = (" + p + "." + id(kRowKeyColumn) + shift + ")";
    }
    return out;
  }

  /// The columns that all rows have after the first `steps` steps, without row key and path.
  std::vector<Column> columns_before(const View& view, int leaf, std::size_t steps) {
    steps = last_change(view, steps);
    return steps == 0 ? stored_columns(view, 0) : described(view, leaf, steps).columns;
  }

  std::string bind(SqlValue value) {
    statement_.values.push_back(std::move(value));
    return "$" + std::to_string(statement_.values.size());
  }

 private:
  using Key = std::tuple<const View*, int, int, int, char>;

  /// Throws QueryError when the rows after the first `steps` steps do not say which samples they are.
  void check_keys(const View& view, int leaf, std::size_t steps, const std::string& what) {
    if (has_stored_columns(view, steps) || has(columns_before(view, leaf, steps), kRowKeyColumn)) return;
    throw QueryError(what + ": the query dropped the internal:* columns that join levels; SELECT * keeps them");
  }

  /// The rows of level 0 that the first steps keep, by their filters of level 0 and the ids of the first query. Filters
  /// of other levels and sorts may stand between them; a limit or a query ends them.
  static Wanted leading(const View& view) {
    Wanted out;
    for (const Step& step : view.steps) {
      if (const auto* sql = std::get_if<SqlStep>(&step)) out.ids = sql->select.ids;
      if (std::holds_alternative<SqlStep>(step) || std::holds_alternative<LimitStep>(step)) break;
      const auto* filter = std::get_if<Filter>(&step);
      if (filter && filter->level == 0 && std::holds_alternative<BBox>(filter->test)) out.filters.push_back(*filter);
    }
    return out;
  }

  std::shared_ptr<const LevelTable> table_of(const Container& container, int level) const {
    return with_place_ ? container.level(level) : container.known_level(level);
  }

  /// The column of the geometries that are the footprints of all rows of a level: where each row has one, in longitude
  /// and latitude.
  static std::optional<std::string> footprint_geometry(const LevelTable& table) {
    const int geometry = table.find("istac:geometry"), crs = table.find("istac:crs");
    if (geometry < 0 || !table.has_no_nulls(geometry)) return std::nullopt;
    for (int group = 0; crs >= 0 && group < table.num_row_groups(); ++group) {
      if (!table.holds_only(crs, group, "EPSG:4326") && !table.holds_only(crs, group, "OGC:CRS84")) return std::nullopt;
    }
    return "istac:geometry";
  }

  /// The rows of a level that may be in all boxes, and the column of the bounds that tell; nullopt where none do.
  static std::optional<std::pair<RowSpans, std::string>> rows_in(const LevelTable& table,
                                                                 const std::vector<Filter>& filters) {
    const auto& columns = table.columns();
    std::optional<std::string> found;
    std::vector<BoxTest> tests;
    for (const Filter& filter : filters) {
      const auto named = tested_columns(filter, columns);  // none: condition() will say so
      if (named.empty()) continue;
      const auto tested = is_footprint(filter, columns) ? footprint_geometry(table) : std::optional(named[0].name);
      if (!tested) continue;
      const auto covering = table.has_coordinates(table.find(*tested)) ? tested : table.covering_of(*tested);
      if (!covering || (found && *found != *covering)) continue;
      found = covering;
      tests.emplace_back(std::get<BBox>(filter.test));
    }
    if (!found) return std::nullopt;
    return std::pair{table.rows_in(*found,
                                   [&](const BBox& box) {
                                     return std::ranges::all_of(
                                         tests, [&](const BoxTest& test) { return test.may_meet(box); });
                                   }),
                     in_quotes(*found)};
  }

  /// The rows of a table that may be wanted, and the index or the bounds that tell.
  struct Chosen {
    RowSpans rows = {};
    std::vector<std::string> by = {};

    int64_t num_rows() const {
      int64_t out = 0;
      for (const RowSpan& span : rows) out += span.end - span.begin;
      return out;
    }
  };
  static Chosen choose(const LevelTable& table, const Wanted& wanted) {
    Chosen out{.rows = {{0, table.num_rows()}}};
    if (!wanted.ids.empty()) {
      if (auto found = table.rows_with_ids(wanted.ids)) out = {std::move(*found), {"the id index"}};
    }
    if (auto found = rows_in(table, wanted.filters)) {
      out.rows = in_both(out.rows, found->first);
      out.by.push_back("the bounds of " + found->second);
    }
    return out;
  }

  /// The pages of a level, or of its side-car, that may have wanted rows; without a table where that is not known of
  /// any.
  LevelTable::Selection near(const Container& container, int level, const Wanted& wanted) const {
    const auto table = table_of(container, level);
    // Rows that are numbered within their ZIP are all counted.
    if (table->find(names::kCurrentId) < 0 && table->find(names::kSourceFile) >= 0) return {};
    Chosen chosen = choose(*table, wanted);
    // The rows of a side-car have to be sorted: from about a third of the level on, reading the level takes less time
    // (bench/RESULTS.md). It is not looked for where the level itself leaves few rows.
    constexpr int64_t kFew = 8, kFewer = 3;
    std::shared_ptr<const LevelTable> sidecar;
    if (chosen.num_rows() > table->num_rows() / kFew && table == container.stored_level(level)) {
      sidecar = container.sidecar(level);
      Chosen there = sidecar ? choose(*sidecar, wanted) : Chosen();
      if (sidecar && there.num_rows() < chosen.num_rows() / kFewer) chosen = std::move(there);
      else sidecar = nullptr;
    }
    if (chosen.rows == RowSpans{{0, table->num_rows()}}) return {};
    auto out = (sidecar ? sidecar : table)->select(chosen.rows);
    if (!out.table) return {};
    if (sidecar) out.row_column = kRowOfLevel;
    log::info("a filter of level " + std::to_string(level) + " reads " + std::to_string(out.table->num_rows()) +
              " of " + std::to_string(table->num_rows()) + " rows, by " + join(chosen.by, " and ") +
              (sidecar ? " of the side-car " + sidecar->where().path : ""));
    return out;
  }

  static RowSpans in_both(const RowSpans& a, const RowSpans& b) {
    RowSpans out;
    for (auto left = a.begin(), right = b.begin(); left != a.end() && right != b.end();) {
      const RowSpan both{std::max(left->begin, right->begin), std::min(left->end, right->end)};
      if (both.begin < both.end) out.push_back(both);
      (left->end < right->end ? left : right)++;
    }
    return out;
  }

  /// The rows of a level that those of a selection are, as SQL over their numbers in the selection.
  static std::string rows_of_level(const RowSpans& rows, const std::string& row) {
    if (rows.size() == 1) return "(" + row + " + " + std::to_string(rows[0].begin) + ")";
    std::vector<std::string> begins, shifts;
    int64_t num_before = 0;
    for (const RowSpan& span : rows) {
      begins.push_back(std::to_string(num_before));
      shifts.push_back(std::to_string(span.begin - num_before));
      num_before += span.end - span.begin;
    }
    return "tacore_selected_row(" + row + ", [" + join(begins, ", ") + "]::BIGINT[], [" + join(shifts, ", ") +
           "]::BIGINT[])";
  }

  /// The number in the level of a row of a side-car, as SQL: an error where there is no such row.
  static std::string row_of_sidecar(const LevelTable& level, const LevelTable& sidecar, const std::string& column) {
    const std::string row = id(column);
    return "(CASE WHEN " + row + " BETWEEN 0 AND " + std::to_string(level.num_rows() - 1) + " THEN " + row +
           " ELSE CAST(error(" +
           sql_literal(kDamagedData + sidecar.where().path + ": a row of the side-car is that of none of the " +
                       std::to_string(level.num_rows()) + " rows of the level") +
           ") AS BIGINT) END)";
  }

  /// The alias in joined() of the rows of level 0 with their stored columns: a query may have changed those of c0.
  static std::string parents(const View& view, std::size_t steps) {
    return has_stored_columns(view, steps) ? "c0" : "s0";
  }

  /// Rows of levels 0 to `level`, each with its ancestors: the aliases c0, c1, ... c0 has the rows after the first
  /// `steps` steps, and their positions where a step may have reordered them.
  std::string joined(const View& view, int leaf, int level, std::size_t steps) {
    check_keys(view, leaf, steps, "rows of other levels cannot be joined");
    std::string out;
    for (int below = level; below > 0; --below) {
      const std::string child = "c" + std::to_string(below), above = "c" + std::to_string(below + 1);
      out += surviving(view, leaf, below, steps) + " " + child;
      if (below < level) out += " ON " + joins(view, below + 1, above, child);
      out += " JOIN ";
    }
    const std::string root = parents(view, steps), key = id(kRowKeyColumn);
    const std::string rows_of_root = reordered(view, steps) ? numbered(view, leaf, steps) : rows(view, leaf, steps);
    const std::string on = level > 0 ? " ON " + joins(view, 1, "c1", root) : "";
    if (root == "c0") return out + rows_of_root + " c0" + on;
    return out + stored(view, leaf, 0) + " s0" + on + " JOIN " + rows_of_root + " c0 ON c0." + key + " = s0." + key;
  }

  /// The columns of joined() for a user: those of `level` first.
  std::vector<std::string> prefixed(const View& view, int leaf, int level, std::size_t steps, bool internal) {
    std::vector<std::string> out;
    for (int at = level; at >= 0; --at) {
      const std::string alias = "c" + std::to_string(at), prefix = "l" + std::to_string(at) + ":";
      const auto add = [&](const std::string& from, std::string_view name) {
        out.push_back(from + "." + id(name) + " AS " + id(prefix + std::string(name)));
      };
      for (const Column& column : at == 0 ? columns_before(view, leaf, steps) : stored_columns(view, at)) {
        const bool joins_levels = column.name == names::kParentId || column.name == names::kCurrentId;
        const bool is_shown = internal && !joins_levels && !is_rebuilt(column.name);
        if (is_shown || !names::is_internal(column.name)) add(alias, column.name);
      }
      if (internal && with_path_) add(at == 0 ? parents(view, steps) : alias, names::kGdalVsi);
    }
    return out;
  }

  /// The order of the rows of `level` in joined(): sorted by the last steps that sort, else in the order of their
  /// samples, and as stored within a sample.
  std::string order_below(const View& view, int level, std::size_t steps) {
    std::string out;
    for (std::size_t i = steps; i-- > 0 && !std::holds_alternative<SqlStep>(view.steps[i]);) {
      const auto* sort = std::get_if<SortStep>(&view.steps[i]);
      if (sort && sort->level <= level)
        out += "c" + std::to_string(sort->level) + "." + id(sort->column) + direction(*sort) + ", ";
    }
    if (reordered(view, steps)) out += "c0." + id("tacore:order") + ", ";
    return out + "c" + std::to_string(level) + "." + id(kRowKeyColumn);
  }

  /// The rows after the first `steps` steps with their positions. A union whose rows are numbered directly below a hash
  /// join runs its inputs in parallel (DuckDB 1.4), so it is numbered first.
  std::string numbered(const View& view, int leaf, std::size_t steps) {
    const Key key{&view, leaf, 0, static_cast<int>(steps), 'n'};
    if (const auto found = names_.find(key); found != names_.end()) return found->second;
    const std::string body =
        "SELECT *, row_number() OVER () AS " + id("tacore:order") + " FROM " + rows(view, leaf, steps);
    return define(key, body, view.container() == nullptr);
  }

  static const char* direction(const SortStep& sort) {
    return sort.descending ? " DESC NULLS LAST" : " ASC NULLS LAST";
  }

  std::string sorted(const View& view, int leaf, std::size_t steps, const SortStep& sort) {
    const std::string order = id("tacore:order"), key = id(kRowKeyColumn), value = id("tacore:value");
    const std::string before = numbered(view, leaf, steps - 1);
    if (sort.level == 0)
      return "SELECT * EXCLUDE (" + order + ") FROM " + before + " ORDER BY " + id(sort.column) + direction(sort) +
             ", " + order;
    const std::string below = "SELECT c0." + key + " AS " + id("tacore:key") + ", " +
                              (sort.descending ? "max" : "min") + "(c" + std::to_string(sort.level) + "." +
                              id(sort.column) + ") AS " + value + " FROM " + joined(view, leaf, sort.level, steps - 1) +
                              " GROUP BY 1";
    return "SELECT n.* EXCLUDE (" + order + ") FROM " + before + " n LEFT JOIN (" + below + ") v ON n." + key +
           " = v." + id("tacore:key") + " ORDER BY v." + value + direction(sort) + ", n." + order;
  }

  static bool queried(const View& view, std::size_t steps) {
    return std::any_of(view.steps.begin(), view.steps.begin() + static_cast<std::ptrdiff_t>(steps),
                       [](const Step& s) { return std::holds_alternative<SqlStep>(s); });
  }

  /// True when the columns after the first `steps` steps are the stored ones, with their values.
  static bool has_stored_columns(const View& view, std::size_t steps) {
    return std::all_of(view.steps.begin(), view.steps.begin() + static_cast<std::ptrdiff_t>(steps), keeps_columns);
  }

  /// True when a step, of the view or of a part, may have reordered the rows.
  static bool reordered(const View& view, std::size_t steps) {
    const auto sorts = [](const Step& s) { return std::holds_alternative<SortStep>(s); };
    if (queried(view, steps) ||
        std::any_of(view.steps.begin(), view.steps.begin() + static_cast<std::ptrdiff_t>(steps), sorts))
      return true;
    const auto* all = std::get_if<Union>(&view.base);
    return all && std::any_of(all->parts.begin(), all->parts.end(),
                              [](const UnionPart& p) { return reordered(*p.view, p.view->steps.size()); });
  }

  static int deepest(const View& view, std::size_t steps) {
    int out = 0;
    for (std::size_t i = 0; i < steps; ++i) {
      if (const auto* filter = std::get_if<Filter>(&view.steps[i])) out = std::max(out, filter->level);
    }
    return out;
  }

  static bool is_drawn(const View& view, std::size_t steps) { return view.drawn && view.drawn->steps == steps; }

  std::string drawn_rows(const View& view, int leaf) {
    const auto rows = view.drawn->rows();
    std::vector<StreamColumn> columns;
    for (std::size_t c = 0; c < rows->columns().size(); ++c)
      columns.push_back({rows->columns()[c].name, static_cast<int>(c)});
    statement_.tables.push_back(
        [rows, columns](ArrowArrayStream* out) { export_batches(batch_reader(rows, columns), out); });
    std::vector<std::string> arguments;
    using Argument = TableScan::Argument;
    for (const auto argument : {Argument::Table, Argument::Produce, Argument::Schema})
      arguments.push_back(bind(TableScan{statement_.tables.size() - 1, argument}));
    // The containers of a part are numbered from 0 in its rows.
    const std::string key = id(kRowKeyColumn);
    const bool is_moved = leaf > 0 && rows->find(kRowKeyColumn) >= 0;
    const std::string moved =
        " REPLACE (" + key + " + " + std::to_string(RowKey{leaf, 0, 0}.encode()) + " AS " + key + ")";
    const std::string out =
        "SELECT *" + (is_moved ? moved : "") + " FROM arrow_scan_dumb(" + join(arguments, ", ") + ")";
    if (view.drawn->has_keys_alone) return with_stored(view, leaf, out, "p.*");
    const bool has_path = rows->find(names::kGdalVsi) >= 0 || rows->find(kRowKeyColumn) < 0;
    return with_path_ && !has_path ? with_paths(view, leaf, out) : out;
  }

  /// Adds paths to rows that were drawn before a step named them.
  std::string with_paths(const View& view, int leaf, const std::string& drawn) {
    std::vector<std::string> paths;
    for (const auto name : path_columns(view)) paths.push_back("p." + id(name));
    return with_stored(view, leaf, drawn, "d.* EXCLUDE (" + id("tacore:order") + "), " + join(paths, ", "));
  }

  /// `columns` of drawn rows `d` joined with the same rows `p` as they are stored; sorted, because a join loses the
  /// order.
  std::string with_stored(const View& view, int leaf, const std::string& drawn, const std::string& columns) {
    const std::string order = id("tacore:order"), key = id(kRowKeyColumn);
    return "SELECT * EXCLUDE (" + order + ") FROM (SELECT " + columns + ", d." + order +
           " FROM (SELECT *, row_number() OVER () AS " + order + " FROM (" + drawn + ")) d LEFT JOIN " +
           stored(view, leaf, 0) + " p ON d." + key + " = p." + key + ") ORDER BY " + order;
  }

  std::string step_rows(const View& view, int leaf, std::size_t steps) {
    const Step& step = view.steps[steps - 1];
    if (const auto* sql = std::get_if<SqlStep>(&step)) {
      if (steps == 1) return user_step(view, leaf, steps, first_rows(view, leaf), false);
      // Otherwise the preceding steps would run once for each time they are named, and so on for each step before.
      return user_step(view, leaf, steps, "SELECT * FROM " + rows(view, leaf, steps - 1), sql->select.repeats_data);
    }
    if (const auto* sort = std::get_if<SortStep>(&step)) return sorted(view, leaf, steps, *sort);
    if (const auto* limit = std::get_if<LimitStep>(&step))
      return "SELECT * FROM " + rows(view, leaf, steps - 1) + " LIMIT " + std::to_string(limit->count);
    const std::string before = rows(view, leaf, steps - 1);
    const Filter& filter = std::get<Filter>(step);
    if (filter.level > 0) return cascade(view, leaf, steps, before);
    return "SELECT * FROM " + before + " WHERE " + condition(view, filter, columns_before(view, leaf, steps - 1));
  }

  /// The rows before the first step, as a SELECT: a name that is used once would cost time.
  std::string first_rows(const View& view, int leaf) {
    const Wanted wanted = leading(view);
    return view.container() ? stored_rows_near(view, leaf, 0, false, wanted)
                            : union_level(view, leaf, 0, false, wanted);
  }

  std::string stored_rows(const View& view, int leaf, int level, bool padding) {
    return view.container() ? leaf_level(*view.container(), leaf, level, padding)
                            : union_level(view, leaf, level, padding, {});
  }

  /// stored_near() of one container, as a SELECT.
  std::string stored_rows_near(const View& view, int leaf, int level, bool padding, const Wanted& wanted) {
    const Container& container = *view.container();
    if (padding || wanted.is_all()) return leaf_level(container, leaf, level, padding);
    return leaf_level(container, leaf, level, false, near(container, level, wanted));
  }

  std::string define(const Key& key, const std::string& body, bool at_once = false) {
    const std::string name = id("tacore:" + std::to_string(ctes_.size()));
    ctes_.push_back(name + " AS " + (at_once ? "" : "NOT ") + "MATERIALIZED (" + body + ")");
    names_[key] = name;
    return name;
  }

  static std::string derived_sql(const DerivedColumn& column) {
    switch (column.kind) {
      case DerivedColumn::Kind::Copy: return id(column.from);
      case DerivedColumn::Kind::Whole:
        return "CAST(" + id(column.from) + " AS BIGINT)" + (column.add ? " + " + std::to_string(column.add) : "");
      case DerivedColumn::Kind::Type:
        return "CASE WHEN upper(" + id(column.from) + ") = 'TORTILLA' THEN 'FOLDER' ELSE 'FILE' END";
      case DerivedColumn::Kind::Constant: return sql_literal(column.text);
      case DerivedColumn::Kind::Hidden: break;
    }
    return "NULL";
  }

  /// The rows of a level, or those of a selection of its rows.
  std::string leaf_level(const Container& container, int leaf, int level, bool padding,
                         const LevelTable::Selection& selection = {}) {
    const auto whole = table_of(container, level);
    const auto& table = selection.table ? selection.table : whole;
    std::vector<std::string> aliases, selected;
    // DuckDB numbers rows in a last column, which it does not list where a column of the file has its name.
    const std::string numbers = "file_row_number";
    bool is_listed = true;
    std::map<std::string, std::string> alias_of;
    for (const auto& name : table->file_columns()) {
      const bool clashes = lower(name) == numbers;
      is_listed = is_listed && !clashes;
      aliases.push_back(id(clashes ? "tacore:column" : name));
      alias_of[name] = aliases.back();
    }
    // The columns of the level: a side-car also has the numbers of rows, and may have bounding boxes.
    for (std::size_t c = 0; c < whole->columns().size(); ++c) {
      const std::string& name = whole->columns()[c].name;
      if (is_rebuilt(name)) continue;
      const DerivedColumn* derived = whole->derived(static_cast<int>(c));
      const std::string value = derived ? derived_sql(*derived) : alias_of.at(name);
      selected.push_back(value == id(name) ? value : value + " AS " + id(name));
    }
    const std::string file_row = is_listed ? id("tacore:file_row") : numbers;
    if (is_listed) aliases.push_back(file_row);
    const std::string row = !selection.table               ? file_row
                            : selection.row_column.empty() ? rows_of_level(selection.rows, file_row)
                                                           : row_of_sidecar(*whole, *table, selection.row_column);
    // Container::current_id() gives the expression where it is not stored.
    const bool is_numbered = table->find(names::kCurrentId) < 0, by_source = table->find(names::kSourceFile) >= 0;
    if (is_numbered && !by_source) selected.push_back(row + " AS " + id(names::kCurrentId));
    if (is_numbered && by_source) selected.push_back(id(names::kCurrentId));
    if (level == 0 && table->find(names::kRelativePath) < 0)
      selected.push_back(id(names::kId) + " AS " + id(names::kRelativePath));
    if (with_path_) {
      if (is_v1(container.format())) selected.push_back(container.vsi_sql(level) + " AS " + id(names::kSubfile));
      selected.push_back(container.vsi_sql(level) + " AS " + id(names::kGdalVsi));
    }
    const RowKey first{leaf, level, 0};
    selected.push_back(row + " + " + std::to_string(first.encode()) + " AS " + id(kRowKeyColumn));
    statement_.levels.push_back(table);
    // Parquet statistics of floats ignore NaN, which SQL sorts as the largest number: DuckDB would prune rows by them
    // unless it is told otherwise.
    std::string stored = "read_parquet(" + bind(LevelFile{statement_.levels.size() - 1}) + ", can_have_nan = true" +
                         (is_listed ? ", " + numbers + " = true" : "") + ") AS t(" + join(aliases, ", ") + ")";
    if (is_numbered && by_source) {  // before padding is removed, because it counts
      stored = "(SELECT *, " + (is_listed ? "" : numbers + ", ") + "row_number() OVER (PARTITION BY " +
               alias_of.at(std::string(names::kSourceFile)) + " ORDER BY " + row + ") - 1 AS " + id(names::kCurrentId) +
               " FROM " + stored + ") AS numbered";
    }
    std::string body = "SELECT " + join(selected, ", ") + " FROM " + stored;
    // Where checking for padding is cheap it is done once, not by each query: most levels that could have it have none.
    const bool may_show =
        whole->may_have_padding() && (!whole->source()->is_local() || whole->num_visible_rows() < whole->num_rows());
    if (!padding && may_show) {
      // Samples are matched by the id only: a stored size may be that of another row.
      body += " WHERE NOT starts_with(" + id(names::kId) + ", " + sql_literal(names::kPadding) + ")";
    }
    if (is_numbered && by_source) body += " ORDER BY numbered." + row;  // numbering by source file loses the order
    if (!selection.row_column.empty()) body += " ORDER BY " + id(kRowKeyColumn);
    return body;
  }

  /// A column of a union: its name there, and in the current input; empty when the input lacks it.
  struct Aligned {
    std::string as;
    std::string type;
    std::optional<std::string> name;
  };

  std::string union_level(const View& view, int leaf, int level, bool padding, const Wanted& wanted) {
    const Union& all = std::get<Union>(view.base);
    const auto k = static_cast<std::size_t>(level);
    std::vector<Aligned> columns;
    for (std::size_t c = 0; c < all.columns[k].size(); ++c)
      columns.push_back({all.columns[k][c].name, all.columns[k][c].type, all.names[k][c]});
    std::vector<std::string> selects;
    append_selects(view, view, leaf, level, padding, columns, wanted, selects);
    if (selects.empty()) throw QueryError("no dataset to read");
    if (selects.size() > kMostUnited) {
      throw QueryError("the query reads " + std::to_string(selects.size()) + " datasets at once, more than " +
                       std::to_string(kMostUnited) +
                       "; `taco index` makes one table of their rows, and with `taco collect --bounds` a filter opens "
                       "only those that it needs");
    }
    return join(selects, " UNION ALL ");
  }

  /// `columns` with the names that they have in the inputs of `all`, which is an input itself.
  static std::vector<Aligned> inside(const Union& all, int level, std::vector<Aligned> columns) {
    const auto& known = all.columns[static_cast<std::size_t>(level)];
    for (auto& column : columns) {
      const auto found =
          std::find_if(known.begin(), known.end(), [&](const Column& c) { return column.name == c.name; });
      column.name.reset();
      if (found != known.end())
        column.name = all.names[static_cast<std::size_t>(level)][static_cast<std::size_t>(found - known.begin())];
    }
    return columns;
  }

  /// The wanted rows of a union as wanted rows of one input, whose names of the columns are in `columns`.
  static Wanted inside(const std::vector<Aligned>& columns, int level, const Wanted& wanted) {
    std::vector<Column> known;
    for (const auto& column : columns) known.push_back({column.as, column.type});
    Wanted out{.steps = wanted.steps};
    for (Filter filter : wanted.filters) {
      const auto tested = tested_columns(filter, known);
      if (tested.size() != 1 || filter.level != level) continue;  // a footprint of several columns has no bounds here
      const auto name = std::ranges::find(columns, tested[0].name, &Aligned::as)->name;
      if (!name) continue;
      filter.column = *name;
      out.filters.push_back(std::move(filter));
    }
    const auto id_column = std::ranges::find(columns, names::kId, &Aligned::as);
    if (id_column != columns.end() && id_column->name == names::kId) out.ids = wanted.ids;
    return out;
  }

  /// One SELECT for each input of a union. DuckDB 1.4 reorders a union on the right of another. So the inputs of an
  /// input are listed beside the others; where steps prevent that, its rows are numbered and sorted.
  void append_selects(const View& whole, const View& view, int leaf, int level, bool padding,
                      const std::vector<Aligned>& columns, const Wanted& wanted, std::vector<std::string>& out) {
    for (const auto& part : std::get<Union>(view.base).parts) {
      const View& input = *part.view;
      const int first = leaf + part.first_leaf;
      if (!input.container() && input.steps.empty()) {
        append_selects(whole, input, first, level, padding, inside(std::get<Union>(input.base), level, columns), wanted,
                       out);
        continue;
      }
      const auto is_stored = input.container() && input.steps.empty();
      // Not a common table expression of its own: DuckDB looks each name up in all of them, for each part.
      std::string from =
          is_stored    ? "(" + stored_rows_near(input, first, level, padding, inside(columns, level, wanted)) + ")"
          : level == 0 ? rows(input, first)
                       : visible(input, first, level);
      if (!out.empty() && !input.container()) {
        const std::string order = id("tacore:order");
        from = define({&input, first, level, 0, 'o'}, "SELECT * EXCLUDE (" + order +
                                                          ") FROM (SELECT *, row_number() OVER () AS " + order +
                                                          " FROM " + from + ") ORDER BY " + order);
      }
      out.push_back("SELECT " + join(aligned(whole, part, columns, level, first), ", ") + " FROM " + from);
    }
  }

  /// A column of a part converted to `type`: DuckDB would round whole numbers that no double can hold.
  static std::string in_union(const Column& own, const std::string& type) {
    const bool is_unsigned = own.type.starts_with("uint");
    if (type != "double" || (!is_unsigned && !own.type.starts_with("int"))) return id(own.name);
    return (is_unsigned ? "tacore_exact_unsigned(" : "tacore_exact(") + id(own.name) + ", " + sql_literal(own.name) +
           ")";
  }

  std::vector<std::string> aligned(const View& whole, const UnionPart& part, const std::vector<Aligned>& columns,
                                   int level, int leaf) {
    const View& input = *part.view;
    const auto own = level == 0 ? columns_before(input, leaf, input.steps.size()) : stored_columns(input, level);
    std::vector<std::string> out;
    for (const auto& column : columns) {
      if (column.as == names::kSourcePath || column.as == names::kSourceFile) continue;
      const auto found = std::ranges::find(own, column.name.value_or(""), &Column::name);
      out.push_back((found == own.end() ? "NULL" : in_union(*found, column.type)) + " AS " + id(column.as));
    }
    const auto source = [&](std::string_view name, const std::string& value) {
      out.push_back(has(own, name) ? id(name) : sql_literal(value) + " AS " + id(name));
    };
    source(names::kSourcePath, part.source_path);
    source(names::kSourceFile, part.source_file);
    if (with_path_) {
      const auto there = path_columns(input);
      for (const auto name : path_columns(whole)) {
        const bool hidden = (level == 0 && !has_stored_columns(input, input.steps.size()) && !has(own, name)) ||
                            std::find(there.begin(), there.end(), name) == there.end();
        out.push_back(hidden ? "NULL AS " + id(name) : id(name));
      }
    }
    out.push_back(id(kRowKeyColumn));
    return out;
  }

  /// The last of the first `steps` steps, a query. `before`: a SELECT of the rows that it sees as `data`.
  std::string user_step(const View& view, int leaf, std::size_t steps, const std::string& before, bool at_once) {
    const SqlStep& step = std::get<SqlStep>(view.steps[steps - 1]);
    std::string with = std::string("WITH data AS ") + (at_once ? "" : "NOT ") + "MATERIALIZED (" + before + ")";
    for (int level = 0; level <= names::kMaxLevel; ++level) {
      const std::string name = "level" + std::to_string(level);
      if (step.select.tables.contains(name) && level < view.num_levels())
        with += ", " + name + " AS NOT MATERIALIZED (SELECT * FROM " + stored(view, leaf, level) + ")";
      const std::string flat = "l" + std::to_string(level);
      if (step.select.tables.contains(flat) && level < view.num_levels())
        with += ", " + flat + " AS NOT MATERIALIZED (" + with_ancestors(view, leaf, level, steps - 1, true) + ")";
    }
    // On lines of its own: a comment at the end of the query must not hide the bracket.
    return with + " SELECT * FROM (\n" + step.select.text + "\n)";
  }

  std::string condition(const View& view, const Filter& filter, const std::vector<Column>& columns) {
    check_tested(view, filter, columns);
    const Column tested = tested_columns(filter, columns)[0];
    log::info("a filter tests " + in_quotes(filter.column == "auto" ? tested.name : filter.column) + " of level " +
              std::to_string(filter.level));
    return predicate(filter, columns, statement_.values);
  }

  /// The number of steps up to the last one that changes columns: filters keep them, as does a query that only selects
  /// rows.
  static std::size_t last_change(const View& view, std::size_t steps) {
    while (steps > 0 && keeps_columns(view.steps[steps - 1])) --steps;
    return steps;
  }

  /// The columns of the last of `steps` steps, a query. It is described over an empty table with the columns of the
  /// query before: over all steps before, a chain would take cubic time.
  const SqlColumns& described(const View& view, int leaf, std::size_t steps) {
    const std::pair key{&view, steps};
    if (const auto found = known_->find(key); found != known_->end()) return found->second;
    const std::size_t before = last_change(view, steps - 1);
    Planner one(describe_, with_path_, known_);
    const std::string data =
        before == 0 ? one.stored_rows(view, leaf, 0, false) : empty_table(described(view, leaf, before));
    const std::string rows = one.user_step(view, leaf, steps, data, false);
    return known_->emplace(key, describe_(one.finish("SELECT * FROM (" + rows + ")"))).first->second;
  }

  static std::string empty_table(const SqlColumns& of) {
    std::vector<std::string> columns;
    for (std::size_t c = 0; c < of.columns.size(); ++c)
      columns.push_back("NULL::" + of.sql_types[c] + " AS " + id(of.columns[c].name));
    return "SELECT " + join(columns, ", ") + " WHERE false";
  }

  /// Level-0 rows with a surviving child, in their order, which a semi-join would lose.
  std::string cascade(const View& view, int leaf, std::size_t steps, const std::string& before) {
    const std::string roots = surviving(view, leaf, 0, steps), key = id(kRowKeyColumn);
    const std::string among = key + " IN (SELECT " + key + " FROM " + roots + ")";
    check_keys(
        view, leaf, steps - 1,
        "a filter of level " + std::to_string(std::get<Filter>(view.steps[steps - 1]).level) + " cannot be applied");
    if (!reordered(view, steps)) return "SELECT * FROM " + before + " WHERE " + among + " ORDER BY " + key;
    const std::string order = id("tacore:order");
    return "SELECT * EXCLUDE (" + order + ") FROM " + numbered(view, leaf, steps - 1) + " WHERE " + among +
           " ORDER BY " + order;
  }

  const QueryPlan::Describe& describe_;
  bool with_path_;
  bool with_place_ = false;  ///< offsets may be part of the result
  std::shared_ptr<Known> known_;
  Statement statement_;
  std::vector<std::string> ctes_;
  std::map<Key, std::string> names_;
};

}  // namespace

std::vector<Column> stored_columns(const View& view, int level) {
  if (const auto* all = std::get_if<Union>(&view.base)) return all->columns[static_cast<std::size_t>(level)];
  const auto& table = view.container()->stored_level(level);
  std::vector<Column> out;
  for (const auto& column : table->columns()) {
    if (!is_rebuilt(column.name)) out.push_back(column);
  }
  if (table->find(names::kCurrentId) < 0) out.push_back({std::string(names::kCurrentId), "int64"});
  if (level == 0 && table->find(names::kRelativePath) < 0) out.push_back({std::string(names::kRelativePath), "string"});
  return out;
}

void check_tested(const View& view, const Filter& filter, std::span<const Column> columns) {
  if (!tested_columns(filter, columns).empty()) return;
  std::string elsewhere;
  for (int level = 0; level < view.num_levels(); ++level) {
    if (level == filter.level) continue;
    const auto there = tested_columns(filter, stored_columns(view, level));
    if (!there.empty()) elsewhere += "; level " + std::to_string(level) + " has " + in_quotes(there[0].name);
  }
  throw QueryError(why_untested(filter, columns) + elsewhere);
}

int deepest_filter(const View& view) {
  int out = 0;
  for (const auto& step : view.steps) {
    if (const auto* filter = std::get_if<Filter>(&step)) out = std::max(out, filter->level);
  }
  if (const auto* all = std::get_if<Union>(&view.base)) {
    for (const auto& part : all->parts) out = std::max(out, deepest_filter(*part.view));
  }
  return out;
}

bool restricts(const View& view, int level) { return level <= deepest_filter(view); }

bool names_path(const View& view) { return any_query(view, &SqlStep::names_path); }

bool draws(const View& view) {
  const std::size_t first = view.drawn ? view.drawn->steps : 0;
  bool is_queried = false;  // the rows of a query may come in another order when it is run again
  for (std::size_t i = first; i < view.steps.size(); ++i) {
    const auto* sql = std::get_if<SqlStep>(&view.steps[i]);
    if (sql ? sql->select.draws : is_queried && std::holds_alternative<LimitStep>(view.steps[i])) return true;
    is_queried = is_queried || sql != nullptr;
  }
  return false;
}

bool varies(const View& view) {
  const std::size_t first = view.drawn ? view.drawn->steps : 0;
  return draws(view) ||
         std::any_of(view.steps.begin() + static_cast<std::ptrdiff_t>(first), view.steps.end(), [](const Step& step) {
           const auto* sql = std::get_if<SqlStep>(&step);
           return sql && sql->select.reorders;
         });
}

bool keeps_columns(const Step& step) {
  const auto* sql = std::get_if<SqlStep>(&step);
  return !sql || sql->select.keeps_columns;
}

bool has_query(const View& view) {
  return std::any_of(view.steps.begin(), view.steps.end(),
                     [](const Step& s) { return std::holds_alternative<SqlStep>(s); });
}

bool changes_columns(const View& view) { return !std::all_of(view.steps.begin(), view.steps.end(), keeps_columns); }

bool only_chooses_rows(const View& view) { return view.container() && !changes_columns(view); }

Statement QueryPlan::rows() const {
  Planner planner(describe_, view_);
  return planner.finish(planner.last_rows(view_, 0));
}

std::vector<std::vector<Column>> QueryPlan::columns(const std::vector<std::size_t>& steps) const {
  Planner planner(describe_, view_);
  std::vector<std::vector<Column>> out;
  for (const std::size_t count : steps) out.push_back(planner.columns_before(view_, 0, count));
  return out;
}

Statement QueryPlan::files(int level) const {
  Planner planner(describe_, view_, true);
  const std::string select = planner.files(view_, 0, level);
  return planner.finish(select);
}

Statement QueryPlan::count() const {
  Planner planner(describe_, view_);
  const std::string name = planner.rows(view_, 0);
  return planner.finish("SELECT count(*) FROM " + name);
}

Statement QueryPlan::survivors(int level) const {
  Planner planner(describe_, view_);
  const std::string name = planner.surviving(view_, 0, level, view_.steps.size());
  const bool sources = has(stored_columns(view_, level), names::kSourceFile);
  return planner.finish("SELECT " + id(kRowKeyColumn) + ", CAST(" + id(names::kParentId) + " AS VARCHAR), " +
                        (sources ? id(names::kSourceFile) : "''") + " FROM " + name + " ORDER BY 1");
}

Statement QueryPlan::statistics(int level, const std::string& parent, const std::vector<std::string>& columns) const {
  Planner planner(describe_, view_);
  const std::string selected = of_alias("c", columns);
  if (level == 0) return planner.finish("SELECT " + selected + " FROM " + planner.rows(view_, 0) + " c");
  const std::string child = planner.visible(view_, 0, level), above = planner.visible(view_, 0, level - 1);
  const std::string same = planner.bind(parent);
  return planner.finish("SELECT " + selected + " FROM " + child + " c WHERE EXISTS (SELECT 1 FROM " + above +
                        " p WHERE " + planner.joins(view_, level, "c", "p") + " AND p." + id(names::kId) + " = " +
                        same + ")");
}

Statement QueryPlan::statistics(const std::vector<std::string>& ids, const std::vector<std::string>& columns) const {
  Planner planner(describe_, view_);
  // Each level by its id, from the root down: the row "b" of level 2 below a row "a" of level 1.
  std::string among, alias;
  for (int level = 1; level <= static_cast<int>(ids.size()); ++level) {
    const std::string above = alias;
    alias = "c" + std::to_string(level);
    const std::string rows = planner.visible(view_, 0, level) + " " + alias;
    const std::string has_id =
        alias + "." + id(names::kId) + " = " + planner.bind(ids[static_cast<std::size_t>(level - 1)]);
    among = rows + " WHERE " + has_id +
            (among.empty()
                 ? ""
                 : " AND EXISTS (SELECT 1 FROM " + among + " AND " + planner.joins(view_, level, alias, above) + ")");
  }
  return planner.finish("SELECT " + of_alias(alias, columns) + " FROM " + among);
}

Statement QueryPlan::children(int level) const {
  Planner planner(describe_, view_);
  const std::string parents = planner.visible(view_, 0, level);
  const std::string child =
      restricts(view_, level + 1) ? planner.visible(view_, 0, level + 1) : planner.stored(view_, 0, level + 1, true);
  const std::string key = id(kRowKeyColumn);
  return planner.finish("SELECT p." + key + ", p." + id(names::kType) + " = 'FOLDER', c." + key + ", c." +
                        id(names::kId) + " FROM " + parents + " p LEFT JOIN " + child + " c ON " +
                        planner.joins(view_, level + 1, "c", "p") + " ORDER BY 1, 3");
}

}  // namespace tacore
