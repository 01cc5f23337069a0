#include "tacore/dataset.hpp"

#include <algorithm>
#include <cctype>
#include <functional>
#include <map>

#include "base/nearest.hpp"
#include "base/text.hpp"
#include "dataset/dataset_impl.hpp"
#include "dataset/same_children.hpp"
#include "format/names.hpp"
#include "query/sql_inspect.hpp"
#include "table/extent_sum.hpp"

namespace tacore {
namespace {

Dataset with_step(const std::shared_ptr<const Dataset::Impl>& from, Step step) {
  check_no_given_rows(*from, "filter");
  auto out = copy(*from);
  // Further steps see the rows that `from` shows, whether or not they were computed before.
  if (draws(from->base)) out->base.drawn = DrawnRows{from->base.steps.size(), [from] { return from->rows(); }};
  out->base.steps.push_back(std::move(step));
  return Dataset(std::move(out));
}

Dataset with_filter(const std::shared_ptr<const Dataset::Impl>& from, Filter filter) {
  if (filter.level != 0) check_level(filter.level, from->tree().max_depth() + 1, from->path);
  // Errors are thrown now if nothing has to be opened or run to find them.
  if (!from->partitions && (filter.level > 0 || !has_query(from->base)))
    check_tested(from->base, filter, stored_columns(from->base, filter.level));
  return with_step(from, std::move(filter));
}

std::vector<std::string> navigation_names(Format format) {
  std::vector<std::string> out{std::string(names::kId), std::string(names::kCurrentId)};
  if (format != Format::Folder) {
    out.emplace_back(names::kOffset);
    out.emplace_back(names::kSize);
  }
  if (format == Format::Tacocat || format == Format::Tacollection) out.emplace_back(names::kSourceFile);
  out.emplace_back(names::kType);
  std::sort(out.begin(), out.end());
  return out;
}

bool has_all(const std::vector<Column>& columns, const std::vector<std::string>& names) {
  return std::all_of(names.begin(), names.end(), [&](const std::string& name) {
    return std::any_of(columns.begin(), columns.end(), [&](const Column& c) { return c.name == name; });
  });
}

/// True when the rows are all rows of the containers: their number then follows from the footers.
bool is_whole(const View& view) {
  if (!view.steps.empty()) return false;
  const auto* all = std::get_if<Union>(&view.base);
  return !all ||
         std::all_of(all->parts.begin(), all->parts.end(), [](const UnionPart& p) { return is_whole(*p.view); });
}

}  // namespace

void check_level(int level, int num_levels, const std::string& path) {
  if (level >= 0 && level < num_levels) return;
  throw QueryError(
      "Level " + std::to_string(level) + " does not exist: the deepest is " + std::to_string(num_levels - 1),
      {.path = path});
}

const Collection& Dataset::collection() const noexcept { return *impl_->collection; }
const std::string& Dataset::path() const noexcept { return impl_->path; }
Format Dataset::format() const noexcept { return impl_->format; }

PitSchema Dataset::pit_schema() const {
  const bool whole = impl_->is_stack() || (!impl_->has_given_rows && is_whole(impl_->view()));
  return impl_->tree().with_n(static_cast<uint64_t>(whole ? level_rows(0) : impl_->num_rows()));
}

Extent Dataset::known_extent() const {
  Extent out = extent();
  if (out.spatial != BBox{}) return out;
  for (int level = 0; level <= impl_->tree().max_depth(); ++level) {
    for (const Column& column : level_columns(level)) {
      if (is_place_column(column.name)) return out;
    }
  }
  out.spatial.reset();
  return out;
}

std::vector<Column> Dataset::level_columns(int level) const {
  const View& view = impl_->shape();
  if (level != 0) check_level(level, view.num_levels(), impl_->path);
  auto columns = stored_columns(view, level);
  std::erase_if(columns, [](const Column& c) { return names::is_internal(c.name); });
  return columns;
}

int64_t Dataset::level_rows(int level) const {
  // The stored rows are counted, whatever the filters of this view.
  const View& all = impl_->shape();
  if (level != 0) check_level(level, all.num_levels(), impl_->path);
  if (impl_->partitions && impl_->partitions->has_bounds()) return impl_->partitions->num_rows(level);
  const std::function<int64_t(const View&)> count = [&](const View& view) -> int64_t {
    if (const Container* container = view.container()) return container->stored_level(level)->num_visible_rows();
    int64_t sum = 0;
    for (const auto& part : std::get<Union>(view.base).parts) sum += count(*part.view);
    return sum;
  };
  return count(all);
}

Dataset Dataset::sql(std::string_view query) const {
  SqlStep step{.select = inspect_select(query)};
  const std::string text = lower(step.select.text);
  // A * over l0, l1, ... includes them.
  const bool may_have_all = text.find('*') != text.npos && std::ranges::any_of(step.select.tables, is_joined_level);
  step.names_path = may_have_all || text.find("gdal_vsi") != text.npos || text.find("subfile") != text.npos;
  step.names_place = may_have_all || step.select.shows_unnamed || text.find(names::kOffset) != text.npos ||
                     text.find(names::kSize) != text.npos;
  return with_step(impl_, std::move(step));
}

Dataset Dataset::sort(std::string_view by, bool descending) const {
  check_no_given_rows(*impl_, "sort");
  const View& view = impl_->shape();
  const auto shown = [](const std::vector<Column>& columns, const std::string& prefix) {
    std::vector<std::string> out;
    for (const Column& column : columns) {
      if (!names::is_internal(column.name)) out.push_back(prefix + column.name);
    }
    return out;
  };
  const auto here = QueryPlan(view, Dataset::Impl::describe).columns({view.steps.size()})[0];
  const auto is_in = [](const std::vector<Column>& columns, std::string_view name) {
    return std::ranges::find(columns, name, &Column::name) != columns.end();
  };
  if (is_in(here, by)) return with_step(impl_, SortStep{std::string(by), 0, descending});
  const bool is_prefixed = by.size() > 3 && by[0] == 'l' && by[1] >= '0' && by[1] <= '9' && by[2] == ':';
  const int level = is_prefixed ? by[1] - '0' : 0;
  if (level > 0) check_level(level, view.num_levels(), impl_->path);
  const auto there = level == 0 ? here : stored_columns(view, level);
  const std::string_view name = by.substr(is_prefixed ? 3 : 0);
  if (!is_in(there, name)) {
    const std::string prefix = is_prefixed ? std::string(by.substr(0, 3)) : "";
    throw QueryError("sort: " + no_column(in_quotes(by), std::string(by), shown(there, prefix)), {.path = impl_->path});
  }
  return with_step(impl_, SortStep{std::string(name), level, descending});
}

Dataset Dataset::limit(int64_t count) const {
  check_no_given_rows(*impl_, "limit");
  if (count < 0)
    throw QueryError("limit: " + std::to_string(count) + " rows; 0 or more expected", {.path = impl_->path});
  return with_step(impl_, LimitStep{count});
}

Dataset Dataset::with_column(std::string_view name, std::string_view expression) const {
  check_no_given_rows(*impl_, "with_column");
  const View& view = impl_->shape();
  const auto columns = QueryPlan(view, Dataset::Impl::describe).columns({view.steps.size()})[0];
  return sql(select_with_column(name, expression, columns, "data", impl_->path));
}

Dataset Dataset::filter_bbox(const BBox& box, const FilterOptions& options) const {
  if (!box.valid()) {
    throw QueryError("bbox [" + std::to_string(box.minx) + ", " + std::to_string(box.miny) + ", " +
                     std::to_string(box.maxx) + ", " + std::to_string(box.maxy) +
                     "]: finite numbers with miny <= maxy expected");
  }
  return with_filter(impl_, {box, options.column, options.level});
}

Dataset Dataset::filter_datetime(const TimeRange& range, const FilterOptions& options) const {
  if (range.start > range.end) {
    throw QueryError("time range starts at " + range.start.to_string() + ", after its end " + range.end.to_string());
  }
  return with_filter(impl_, {range, options.column, options.level});
}

DataFrame Dataset::data() const { return make_frame(impl_, impl_->rows(), false); }
DataFrame Dataset::flatten(std::optional<int> level) const {
  check_no_given_rows(*impl_, "flatten");
  const int deepest = impl_->shape().num_levels() - 1, wanted = level.value_or(deepest);
  check_level(wanted, deepest + 1, impl_->path);
  const View view = impl_->drawn_view();
  if (has_query(view) && data().level() != 0)
    throw QueryError("flatten: the rows of the query are not samples of level 0; SELECT * FROM data keeps them",
                     {.path = impl_->path});
  return flat_frame(impl_, Impl::compute(QueryPlan(view, Impl::describe).files(wanted)));
}
DataFrame Dataset::data_raw() const { return make_frame(impl_, impl_->raw_rows(), true); }

std::vector<std::pair<std::string, std::string>> Dataset::navigation_columns() const {
  static const std::map<std::string_view, const char*> meanings{
      {names::kId, "name of the sample among its siblings"},
      {names::kType, "FILE (data) or FOLDER (children)"},
      {names::kCurrentId, "row number in its level, which children refer to"},
      {names::kOffset, "first byte of the sample in its ZIP"},
      {names::kSize, "bytes of the sample in its ZIP"},
      {names::kSourceFile, "ZIP file that holds the sample"}};
  std::vector<std::pair<std::string, std::string>> out;
  for (auto& name : navigation_names(impl_->format)) out.emplace_back(name, meanings.at(name));
  return out;
}

bool Dataset::is_rsut() const {
  const View& view = impl_->shape();
  for (const auto& step : view.steps) {
    const auto* sql = std::get_if<SqlStep>(&step);
    if (sql && std::ranges::any_of(levels_read(sql->select), [](int level) { return level > 0; })) return false;
  }
  // What a query dropped stays lost, even if a later query has columns of the same names.
  std::vector<std::size_t> changed;
  for (std::size_t i = 0; i < view.steps.size(); ++i) {
    if (!keeps_columns(view.steps[i])) changed.push_back(i + 1);
  }
  for (const auto& columns : QueryPlan(view, Dataset::Impl::describe).columns(changed)) {
    if (!has_all(columns, navigation_names(impl_->format))) return false;
  }
  const int deepest = deepest_filter(view);
  return deepest == 0 || same_children(impl_->drawn_view(), deepest);
}

bool Dataset::verify_rsut() const {
  check_no_given_rows(*impl_, "verify_rsut");
  if (impl_->tree().root_type == SampleType::File) return true;
  const View view = impl_->drawn_view();
  return same_children(view, view.num_levels() - 1);
}

}  // namespace tacore
