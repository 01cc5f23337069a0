#include "tacore/dataframe.hpp"

#include <arrow/c/abi.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/nearest.hpp"
#include "base/text.hpp"
#include "container/zip_samples.hpp"
#include "dataset/dataframe_impl.hpp"
#include "dataset/frame_stream.hpp"
#include "dataset/navigation.hpp"
#include "format/names.hpp"
#include "query/run_statement.hpp"
#include "query/sql_inspect.hpp"
#include "table/arrow_stream.hpp"
#include "table/encode.hpp"
#include "tacore/dataset.hpp"

namespace tacore {
namespace {

bool is_protected(std::string_view name) {
  return name == names::kId || name == names::kType || name.starts_with(names::kInternal);
}

// The path in rows of the tables l0, l1, ...
constexpr std::string_view kPrefixedPath = ":internal:gdal_vsi";

/// The columns that a filter on a lower level keeps visible: they join levels.
bool joins_levels(std::string_view name) {
  return name == names::kCurrentId || name == names::kParentId || name == names::kSourceFile;
}

/// The internal columns that the last query names itself.
std::set<std::string> asked_internal(const View& view) {
  for (auto step = view.steps.rbegin(); step != view.steps.rend(); ++step) {
    if (const auto* sql = std::get_if<SqlStep>(&*step)) return sql->select.internal;
  }
  return {};
}

/// The level of all rows; -1 when they come from several levels, or do not say. An empty frame has level 0.
int level_of(const Rows& rows) {
  if (rows.num_rows() == 0) return 0;
  if (const auto known = rows.level()) return *known;
  const auto first = rows.key(0);
  if (!first) return -1;
  for (int64_t row = 1; row < rows.num_rows(); ++row) {
    const auto key = rows.key(row);
    if (!key || key->level != first->level) return -1;
  }
  return first->level;
}

/// The row key, or a copy of it that a join made ("internal:row_1").
bool is_row_key(std::string_view name) { return name.starts_with(kRowKeyColumn); }

std::shared_ptr<DataFrame::Impl> derived(const DataFrame::Impl& from, std::shared_ptr<const Rows> rows) {
  auto out = std::make_shared<DataFrame::Impl>();
  out->dataset = from.dataset;
  out->rows = std::move(rows);
  out->columns = from.columns;
  out->sources = from.sources;
  out->holds_stored = from.holds_stored;
  out->is_stored = from.is_stored;
  out->container = from.container;
  out->level = from.level;
  out->parent_path = from.parent_path;
  out->source_file = from.source_file;
  return out;
}

int shown(const DataFrame::Impl& frame, std::string_view name) {
  const auto found =
      std::find_if(frame.columns.begin(), frame.columns.end(), [&](const Column& c) { return c.name == name; });
  return found == frame.columns.end() ? -1 : static_cast<int>(found - frame.columns.begin());
}

[[noreturn]] void throw_unknown(const DataFrame::Impl& frame, std::string_view name) {
  std::vector<std::string> names;
  for (const auto& column : frame.columns) names.push_back(column.name);
  throw QueryError(no_column(in_quotes(name), std::string(name), names), {.path = frame.dataset->path});
}

// The position of a row in the frame, while SQL reorders it.
constexpr std::string_view kPosition = "tacore:position";

/// The columns that SQL over a frame sees: the visible ones, and hidden ones that navigation needs.
std::vector<StreamColumn> sql_columns(const std::shared_ptr<const DataFrame::Impl>& frame, const Rows& rows,
                                      bool with_path) {
  std::vector<StreamColumn> out;
  for (std::size_t c = 0; c < frame->columns.size(); ++c) {
    if (frame->sources[c] < 0 && !with_path) continue;
    out.push_back(stream_column(frame, c));
  }
  for (std::size_t c = 0; c < rows.columns().size(); ++c) {
    const std::string& name = rows.columns()[c].name;
    const bool there =
        std::any_of(out.begin(), out.end(), [&](const StreamColumn& s) { return lower(s.name) == lower(name); });
    if (is_protected(name) && !there && !is_path_column(name)) out.push_back({name, static_cast<int>(c)});
  }
  return out;
}

bool mentions_path(std::string_view sql) {
  const std::string folded = lower(sql);
  return folded.find("gdal_vsi") != folded.npos || folded.find("subfile") != folded.npos;
}

/// Runs `sql` over `frame` and shows the columns of `frame`, and `added` when it is new.
DataFrame query(const std::shared_ptr<const DataFrame::Impl>& frame, const std::string& sql, bool with_path,
                std::string_view added = "") {
  const auto rows = with_keys(frame->rows);
  ArrowArrayStream in, out;
  export_batches(batch_reader(rows, sql_columns(frame, *rows, with_path)), &in);
  const auto release = [&] {
    if (in.release) in.release(&in);
  };
  try {
    run_over(&in, sql, &out);
  } catch (const QueryError& error) {
    release();
    throw QueryError(with_hint(error.message(), sql), error.context());
  } catch (...) {
    release();
    throw;
  }
  release();
  auto result = derived(*frame, table_rows(import_table(&out)));
  result->is_stored = result->is_stored && added.empty();
  const auto& stored = result->rows->columns();
  for (std::size_t c = 0; c < result->columns.size(); ++c) {
    const int at = result->rows->find(result->columns[c].name);
    if (at < 0 && !is_path_column(result->columns[c].name)) {
      throw QueryError("the result of the expression has no column " + in_quotes(result->columns[c].name),
                       {.path = frame->dataset->path});
    }
    result->sources[c] = at;
    if (at >= 0) result->columns[c] = stored[static_cast<std::size_t>(at)];
  }
  if (!added.empty() && shown(*result, added) < 0) {
    const int at = result->rows->find(added);
    if (at < 0)
      throw QueryError("the result of the expression has no column " + in_quotes(added),
                       {.path = frame->dataset->path});
    const Column column = stored[static_cast<std::size_t>(at)];
    // Inserted before the path, which stays the last column.
    const bool path_last = !result->columns.empty() && result->columns.back().name == names::kGdalVsi;
    const auto where = static_cast<std::ptrdiff_t>(result->columns.size()) - (path_last ? 1 : 0);
    result->columns.insert(result->columns.begin() + where, column);
    result->sources.insert(result->sources.begin() + where, at);
  }
  return DataFrame(std::move(result));
}

}  // namespace

DataFrame make_frame(std::shared_ptr<const Dataset::Impl> dataset, std::shared_ptr<const Rows> rows, bool raw) {
  auto out = std::make_shared<DataFrame::Impl>();
  const View& view = dataset->shape();
  const bool cascaded = deepest_filter(view) > 0;
  out->dataset = std::move(dataset);
  out->rows = std::move(rows);
  out->holds_stored = !view.steps.empty() && only_chooses_rows(view);
  out->is_stored = only_chooses_rows(view);
  const auto& stored = out->rows->columns();
  const std::set<std::string> asked = asked_internal(view);
  bool has_path = false;
  for (std::size_t c = 0; c < stored.size(); ++c) {
    const std::string& name = stored[c].name;
    if (is_row_key(name)) continue;
    // A stored path is outdated; a path is computed here only if a query asked for it.
    const bool computed = is_path_column(name);
    if (computed && !names_path(view)) continue;
    const bool wanted = raw || computed || (cascaded && joins_levels(name)) || asked.contains(name);
    if (name.starts_with(names::kInternal) && !wanted) continue;
    out->columns.push_back(stored[c]);
    out->sources.push_back(static_cast<int>(c));
    has_path = has_path || computed || name.ends_with(kPrefixedPath);
  }
  const bool keyed =
      out->rows->find(kRowKeyColumn) >= 0 || (view.container() && view.steps.empty()) || out->dataset->is_stack();
  if (keyed && !has_path) {
    if (raw && out->rows->find(names::kRelativePath) < 0 && out->rows->find(names::kId) >= 0 &&
        (out->is_stored || level_of(*out->rows) <= 0)) {
      out->columns.push_back({std::string(names::kRelativePath), "string"});
      out->sources.push_back(out->rows->find(names::kId));  // level 0: the relative path is the id
    }
    add_paths(*out);
  }
  return DataFrame(std::move(out));
}

DataFrame flat_frame(std::shared_ptr<const Dataset::Impl> dataset, std::shared_ptr<const Rows> rows) {
  auto out = std::make_shared<DataFrame::Impl>();
  out->dataset = std::move(dataset);
  out->rows = std::move(rows);
  for (std::size_t c = 0; c < out->rows->columns().size(); ++c) {
    const Column& column = out->rows->columns()[c];
    if (is_row_key(column.name)) continue;
    out->columns.push_back(column);
    out->sources.push_back(static_cast<int>(c));
  }
  return DataFrame(std::move(out));
}

std::string select_with_column(std::string_view name, std::string_view expression, const std::vector<Column>& columns,
                               const std::string& table, const std::string& path) {
  // SQL ignores case, so "ID" would be a second "id".
  if (is_protected(lower(name))) throw QueryError("Cannot modify protected column " + in_quotes(name), {.path = path});
  bool replaces = false;
  for (const Column& column : columns) {
    if (lower(column.name) != lower(name)) continue;
    replaces = column.name == name;
    if (!replaces)
      throw QueryError("column " + in_quotes(name) + " differs from " + in_quotes(column.name) +
                           " in case only; SQL takes them for one",
                       {.path = path});
  }
  inspect_expression(expression);
  const std::string value = "(\n" + std::string(expression) + "\n) AS " + sql_identifier(name);
  return (replaces ? "SELECT * REPLACE (" + value + ")" : "SELECT *, " + value) + " FROM " + table;
}

int64_t DataFrame::num_rows() const noexcept { return impl_->rows->num_rows(); }
const std::vector<Column>& DataFrame::columns() const noexcept { return impl_->columns; }

int DataFrame::level() const noexcept {
  if (impl_->level >= 0) return impl_->level;
  std::call_once(impl_->rows_level_found, [&] { impl_->rows_level = level_of(*impl_->rows); });
  return impl_->rows_level;
}

std::optional<std::string> DataFrame::text(int64_t position, std::string_view column) const {
  impl_->check_position(position);
  const int at = shown(*impl_, column);
  if (at < 0) throw_unknown(*impl_, column);
  const int source = impl_->sources[static_cast<std::size_t>(at)];
  if (source < 0) return impl_->path(position);
  const Rows::Cell cell = impl_->rows->cell(source, position);
  return cell_as_text(*cell.array, cell.position, column);
}

Node DataFrame::read(int64_t position) const {
  impl_->check_position(position);
  if (impl_->type(position) == SampleType::Folder) return impl_->children(position);
  if (impl_->is_bytes(position)) return read_bytes(position);
  return path_at(position);
}

Node DataFrame::read(std::string_view id) const {
  const auto [frame, row] = locate(*this, id);
  return frame.read(row);
}

VsiPath DataFrame::vsi_path(std::string_view id) const {
  const auto [frame, row] = locate(*this, id);
  if (impl_of(frame)->type(row) == SampleType::Folder)
    throw NavigationError(in_quotes(id) + " is a FOLDER, which has no data of its own; name one of its children",
                          {.path = impl_->dataset->path});
  return frame.path_at(row);
}

VsiPath DataFrame::path_at(int64_t position) const {
  auto path = impl_->path(position);
  if (path) return VsiPath{std::move(*path)};
  throw NavigationError(
      "the query dropped internal:gdal_vsi and the internal:* columns that locate the data; SELECT * keeps them",
      {.path = impl_->dataset->path});
}

Bytes DataFrame::read_bytes(int64_t position) const { return std::move(read_bytes(std::span(&position, 1))[0]); }

Bytes DataFrame::read_bytes(std::string_view id) const {
  const auto [frame, row] = locate(*this, id);
  return frame.read_bytes(row);
}

std::vector<Bytes> DataFrame::read_bytes(std::span<const int64_t> positions) const {
  std::vector<std::shared_ptr<const ByteSource>> sources;
  for (const int64_t position : positions) {
    impl_->check_position(position);
    if (impl_->type(position) == SampleType::Folder) {
      throw NavigationError("position " + std::to_string(position) +
                                " is a FOLDER, which has no bytes of its own; name one of its children",
                            {.path = impl_->dataset->path});
    }
    sources.push_back(impl_->container_of(position)->open_data(impl_->address(position)));
  }
  return read_samples(sources);
}

DataFrame DataFrame::filter(std::string_view expression) const {
  inspect_expression(expression);
  return query(impl_, "SELECT * FROM frame WHERE (\n" + std::string(expression) + "\n)", mentions_path(expression));
}

Dataset to_dataset(const DataFrame& frame) {
  const auto& impl = impl_of(frame);
  const auto rows = with_keys(impl->rows);
  std::vector<std::pair<std::string, int>> columns;
  for (const auto& column : sql_columns(impl, *rows, false)) columns.emplace_back(column.name, column.column);
  return Dataset(Dataset::Impl::with_rows(*impl->dataset, table_rows(to_table(*rows, columns))));
}

DataFrame DataFrame::select(const std::vector<std::string>& wanted) const {
  auto out = derived(*impl_, impl_->rows);
  out->columns.clear();
  out->sources.clear();
  for (const auto& name : wanted) {
    const int at = shown(*impl_, name);
    if (at < 0) throw_unknown(*impl_, name);
    if (shown(*out, name) >= 0)
      throw QueryError("column " + in_quotes(name) + " is selected twice", {.path = impl_->dataset->path});
    out->columns.push_back(impl_->columns[static_cast<std::size_t>(at)]);
    out->sources.push_back(impl_->sources[static_cast<std::size_t>(at)]);
  }
  return DataFrame(std::move(out));
}

DataFrame DataFrame::sort(std::string_view column, bool descending) const {
  if (shown(*impl_, column) < 0) throw_unknown(*impl_, column);
  const std::string position = sql_identifier(kPosition);
  return query(impl_,
               "SELECT * EXCLUDE (" + position + ") FROM (SELECT *, row_number() OVER () AS " + position +
                   " FROM frame) ORDER BY " + sql_identifier(column) + (descending ? " DESC" : " ASC") +
                   " NULLS LAST, " + position,
               mentions_path(column));
}

DataFrame DataFrame::limit(int64_t count, int64_t offset) const {
  if (count < 0 || offset < 0)
    throw QueryError("limit and offset must not be negative; " + std::to_string(std::min(count, offset)) + " given");
  const int64_t begin = std::min(offset, num_rows());
  return DataFrame(derived(*impl_, impl_->rows->slice(begin, std::min(count, num_rows() - begin))));
}

DataFrame DataFrame::tail(int64_t count) const { return limit(count, std::max<int64_t>(0, num_rows() - count)); }

DataFrame DataFrame::take(std::span<const int64_t> positions) const {
  for (const int64_t position : positions) impl_->check_position(position);
  return DataFrame(derived(*impl_, taken_rows(impl_->rows, {positions.begin(), positions.end()})));
}

DataFrame DataFrame::with_column(std::string_view name, std::string_view expression) const {
  const std::string sql = select_with_column(name, expression, impl_->columns, "frame", impl_->dataset->path);
  return query(impl_, sql, mentions_path(expression), name);
}

void DataFrame::export_stream(ArrowArrayStream* out) const { export_batches(frame_batches(*this), out); }

}  // namespace tacore
