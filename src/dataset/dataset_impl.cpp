#include "dataset/dataset_impl.hpp"

#include <arrow/c/abi.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <utility>

#include "base/log.hpp"
#include "base/text.hpp"
#include "base/threads.hpp"
#include "dataset/open_container.hpp"
#include "format/names.hpp"
#include "io/vsi_path.hpp"
#include "query/sql_inspect.hpp"
#include "table/arrow_stream.hpp"

namespace tacore {
namespace {

const Container* find_leaf(const View& view, int number, std::shared_ptr<const Container>* out) {
  if (const auto* container = std::get_if<std::shared_ptr<const Container>>(&view.base)) {
    *out = *container;
    return container->get();
  }
  for (const auto& part : std::get<Union>(view.base).parts) {
    const int inside = number - part.first_leaf;
    if (inside >= 0 && inside < part.view->num_leaves) return find_leaf(*part.view, inside, out);
  }
  throw NavigationError("row key names part " + std::to_string(number) + ", which does not exist");
}

std::string parent_key(int leaf, const std::string& source, const std::string& parent) {
  return std::to_string(leaf) + '\n' + source + '\n' + parent;
}

}  // namespace

const PitSchema& Dataset::Impl::tree() const {
  const Container* container = base.container();
  return container ? container->tree() : collection->pit_schema;
}

std::vector<std::string> sql_types_of(const std::shared_ptr<const LevelTable>& table) {
  return Dataset::Impl::describe({.sql = "SELECT * FROM read_parquet($1)", .values = {LevelFile{0}}, .levels = {table}})
      .sql_types;
}

void check_no_given_rows(const Dataset::Impl& impl, const char* what) {
  if (!impl.has_given_rows) return;
  throw QueryError(std::string(what) + ": a dataset made of a DataFrame can only be written; use the DataFrame instead",
                   {.path = impl.path});
}

std::shared_ptr<Dataset::Impl> copy(const Dataset::Impl& from) {
  auto out = std::make_shared<Dataset::Impl>();
  out->path = from.path;
  out->format = from.format;
  out->collection = from.collection;
  out->base = from.base;
  out->partitions = from.partitions;
  return out;
}

std::shared_ptr<const Dataset::Impl> Dataset::Impl::with_rows(const Impl& from, std::shared_ptr<const Rows> rows) {
  auto out = copy(from);
  out->has_given_rows = true;
  out->rows_ = std::move(rows);
  return out;
}

const View& Dataset::Impl::view() const {
  const std::lock_guard lock(mutex_);
  if (!resolved_) {
    View out = partitions ? partitions->chosen(base.steps) : base;
    out.drawn = base.drawn;
    if (out.drawn) out.drawn->steps += out.steps.size() - base.steps.size();
    resolved_ = std::make_shared<const View>(std::move(out));
  }
  return *resolved_;
}

const View& Dataset::Impl::shape() const {
  if (!partitions || !partitions->has_bounds()) return view();
  const std::lock_guard lock(mutex_);
  if (resolved_) return *resolved_;
  if (!shape_) {
    View out = partitions->first(base.steps);
    out.drawn = base.drawn;
    shape_ = std::make_shared<const View>(std::move(out));
  }
  return *shape_;
}

bool Dataset::Impl::is_stack() const {
  return partitions && !has_given_rows && base.steps.empty() && partitions->has_bounds();
}

namespace {

/// The columns of a level with their types in the files; for a union those of each part.
void add_stored(const View& view, int level, std::set<std::pair<std::string, std::string>>& out) {
  if (const Container* container = view.container()) {
    // Before 2.0 the number of levels requires reading all nested samples.
    if (level > 0 && level >= container->num_levels()) return;
    for (const Column& column : stored_columns(view, level)) out.emplace(column.name, column.type);
    return;
  }
  for (const auto& part : std::get<Union>(view.base).parts) add_stored(*part.view, level, out);
}

/// True when a query refers to a column, whatever alias it gives it.
bool names_column(const View& view, const std::string& name) {
  const std::string wanted = lower(name);
  const auto is_of_name = [](char c) { return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0; };
  return std::ranges::any_of(view.steps, [&](const Step& step) {
    const auto* sql = std::get_if<SqlStep>(&step);
    if (!sql) return false;
    const std::string text = lower(sql->select.text);
    for (auto at = text.find(wanted); at != text.npos; at = text.find(wanted, at + 1)) {
      const auto end = at + wanted.size();
      if ((at == 0 || !is_of_name(text[at - 1])) && (end == text.size() || !is_of_name(text[end]))) return true;
    }
    return false;
  });
}

/// Types that DuckDB lacks and would replace by others.
void warn_of_types(const View& view, const std::set<int>& levels, const Rows& rows) {
  constexpr std::string_view kNanoseconds = "timestamp[ns, tz=";
  std::set<std::pair<std::string, std::string>> all;
  for (const int level : levels) add_stored(view, level, all);
  for (const auto& [name, stored] : all) {
    const bool is_cut = stored.starts_with(kNanoseconds);
    if (!is_cut && !stored.starts_with("duration[")) continue;
    const int column = rows.find(name);
    if (column < 0 && !names_column(view, name)) continue;
    std::string type = is_cut ? "timestamp[us, tz=" + stored.substr(kNanoseconds.size()) : "int64";
    if (column >= 0) type = rows.columns()[static_cast<std::size_t>(column)].type;
    if (type == stored) continue;
    log::warning("column " + in_quotes(name) + " is " + stored + "; a query gives it as " + type +
                 (is_cut ? ", without its nanoseconds" : ""));
  }
}

/// Verifies the levels of the rows of `view`. True when one of them had to be corrected.
bool prove_levels(const View& view, const std::set<int>& levels) {
  if (const Container* container = view.container()) {
    bool any = false;
    for (const int level : levels) {
      if (level < container->num_levels()) any = container->level(level) != container->stored_level(level) || any;
    }
    return any;
  }
  bool any = false;
  for (const auto& part : std::get<Union>(view.base).parts) any = prove_levels(*part.view, levels) || any;
  return any;
}

std::set<int> levels_of(const View& view) {
  std::set<int> out{0};
  for (const auto& step : view.steps) {
    if (const auto* sql = std::get_if<SqlStep>(&step)) out.merge(levels_read(sql->select));
    if (const auto* sort = std::get_if<SortStep>(&step)) out.insert(sort->level);
  }
  return out;
}

}  // namespace

std::shared_ptr<const Rows> Dataset::Impl::rows() const {
  if (is_stack()) return partitions->rows(false);
  const View& all = view();
  const std::lock_guard lock(mutex_);
  if (!rows_) {
    // Nothing to compute: columns are decoded on first use.
    rows_ = all.container() && all.steps.empty() ? visible_rows(all.container()->known_level(0), RowKey{})
                                                 : compute(QueryPlan(all, describe).rows());
    if (!all.container() || !all.steps.empty()) warn_of_types(all, levels_of(all), *rows_);
    log::info(path + ": view of " + std::to_string(all.steps.size()) + " steps, " + std::to_string(rows_->num_rows()) +
              " rows");
    log::debug(std::to_string(memory_in_use() / (1 << 20)) + " MiB in Arrow arrays");
  }
  return rows_;
}

View Dataset::Impl::drawn_view() const {
  View out = view();
  if (!varies(out)) return out;
  auto drawn = rows();
  // Rows that a query only puts in an order are found again by their keys: they may lack the paths that equal ids.
  const int key = drawn->find(kRowKeyColumn);
  const bool has_keys_alone = !draws(out) && !changes_columns(out) && key >= 0;
  if (has_keys_alone) drawn = table_rows(to_table(*drawn, {{std::string(kRowKeyColumn), key}}));
  out.drawn = DrawnRows{out.steps.size(), [drawn] { return drawn; }, has_keys_alone};
  return out;
}

std::shared_ptr<const Rows> Dataset::Impl::raw_rows() const {
  if (is_stack()) return partitions->rows(true);
  const View& all = view();
  {
    const std::lock_guard lock(mutex_);
    if (raw_rows_) return raw_rows_;
  }
  if (prove_levels(all, levels_of(all))) {
    const std::lock_guard lock(mutex_);
    if (!rows_ || !(draws(all) || has_given_rows)) {
      rows_.reset();  // They may have been computed with the wrong offsets.
    } else {
      log::warning(path + ": internal:offset and internal:size of rows that were computed before are not verified");
    }
  }
  auto out = rows();
  const std::lock_guard lock(mutex_);
  return raw_rows_ = std::move(out);
}

namespace {

/// A query may give other rows when it is run again, for example with random().
bool asks_query(const View& view) {
  if (std::any_of(view.steps.begin(), view.steps.end(),
                  [](const Step& s) { return std::holds_alternative<SqlStep>(s); }))
    return true;
  const auto* all = std::get_if<Union>(&view.base);
  return all &&
         std::any_of(all->parts.begin(), all->parts.end(), [](const UnionPart& p) { return asks_query(*p.view); });
}

/// Calls `body`, which runs `statement`; an error of its SQL says what to write instead, where that is known.
template <class Body>
void run_with_hints(const Statement& statement, const Body& body) {
  try {
    body();
  } catch (const QueryError& error) {
    std::string message = with_hint(error.message(), statement.sql);
    if (message == error.message()) throw;
    throw QueryError(std::move(message), error.context());
  }
}

}  // namespace

int64_t Dataset::Impl::num_rows() const {
  if (is_stack()) return partitions->num_rows(0);
  const View& all = view();
  if ((all.container() && all.steps.empty()) || asks_query(all)) return rows()->num_rows();
  const std::lock_guard lock(mutex_);
  if (rows_) return rows_->num_rows();
  if (!num_rows_) num_rows_ = compute(QueryPlan(all, describe).count())->integer(0, 0).value_or(0);
  return *num_rows_;
}

SqlColumns Dataset::Impl::describe(const Statement& statement) {
  ArrowSchema schema;
  std::vector<std::string> sql_types;
  run_with_hints(statement, [&] { sql_types = tacore::describe(statement, &schema); });
  return {import_columns(&schema), std::move(sql_types)};
}

std::shared_ptr<const Rows> Dataset::Impl::compute(const Statement& statement) {
  ArrowArrayStream stream;
  run_with_hints(statement, [&] { run(statement, &stream); });
  return table_rows(import_table(&stream));
}

std::shared_ptr<const Container> Dataset::Impl::leaf(int number) const {
  std::shared_ptr<const Container> out;
  if (is_stack()) {
    if (number < 0 || static_cast<std::size_t>(number) >= partitions->sources().size())
      throw NavigationError("row key names part " + std::to_string(number) + ", which does not exist");
    return std::get<std::shared_ptr<const Container>>(partitions->open(static_cast<std::size_t>(number))->base);
  }
  find_leaf(view(), number, &out);
  return out;
}

std::optional<std::vector<int64_t>> Dataset::Impl::survivors(const RowKey& parent) const {
  const int level = parent.level + 1;
  if (!restricts(shape(), level)) return std::nullopt;
  const View& all = view();
  std::shared_ptr<const Survivors> found;
  {
    const std::lock_guard lock(mutex_);
    found = survivors_[level];
  }
  if (!found) {
    auto computed = std::make_shared<Survivors>();
    const auto rows = compute(QueryPlan(all, describe).survivors(level));
    for (int64_t row = 0; row < rows->num_rows(); ++row) {
      const RowKey key = RowKey::decode(rows->integer(0, row).value_or(0));
      const bool by_source = leaf(key.part)->format() == Format::Tacocat;
      (*computed)[parent_key(key.part, by_source ? rows->text(2, row).value_or("") : "",
                             rows->text(1, row).value_or(""))]
          .push_back(key.row);
    }
    const std::lock_guard lock(mutex_);
    found = survivors_[level] = std::move(computed);
  }
  const auto container = leaf(parent.part);
  const auto& above = container->stored_level(parent.level);
  const auto& below = container->stored_level(level);
  const auto text = [&](std::string_view column) { return above->text(above->find(column), parent.row).value_or(""); };
  const int parent_column = below->find(names::kParentId);
  const bool by_id = parent_column >= 0 &&
                     below->columns()[static_cast<std::size_t>(parent_column)].type.find("string") != std::string::npos;
  const std::string id =
      by_id ? text(names::kId) : std::to_string(container->current_id(parent.level, parent.row).value_or(parent.row));
  const std::string source = container->format() == Format::Tacocat ? text(names::kSourceFile) : "";
  const auto rows = found->find(parent_key(parent.part, source, id));
  return rows == found->end() ? std::vector<int64_t>() : rows->second;
}

}  // namespace tacore
