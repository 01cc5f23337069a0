#include "tacore/dataset.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <unordered_map>

#include "base/log.hpp"
#include "base/text.hpp"
#include "format/names.hpp"
#include "io/vsi_path.hpp"
#include "net/storage.hpp"
#include "dataset/dataset_impl.hpp"
#include "dataset/open_container.hpp"
#include "query/sql_inspect.hpp"
#include "table/extent_sum.hpp"

namespace tacore {
namespace {

bool is_internal(std::string_view name) { return name.starts_with(names::kInternal); }

/// A result of the query would not describe the given rows.
void check_no_given_rows(const Dataset::Impl& impl, const char* what) {
  if (!impl.has_given_rows) return;
  throw QueryError(std::string(what) + ": the rows of a frame as a dataset are to be written; ask the frame",
                   {.path = impl.path});
}

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

/// Compares trees level by level. A *position* is the place of a row in every tree: the position of its parent, and its
/// number among its siblings. All rows at one position must have the same children; padding matches any row.
class SameChildren {
 public:
  /// Adds `rows` of QueryPlan::children(), of level 0 and then of each level below. False when trees differ, and for a
  /// FOLDER without children.
  bool add(const Rows& rows) {
    const int parent = 0, is_folder = 1, child = 2, id = 3;
    std::map<Position, std::vector<std::string>> expected;
    std::unordered_map<int64_t, Position> below;
    for (int64_t row = 0; row < rows.num_rows();) {
      const int64_t key = rows.integer(parent, row).value_or(0);
      const Position position = position_of(key);
      const bool childless = !rows.integer(child, row);
      if (childless && rows.text(is_folder, row) == "true") return false;
      std::vector<std::string> ids;
      for (; row < rows.num_rows() && rows.integer(parent, row) == key; ++row) {
        if (childless) continue;
        below.emplace(*rows.integer(child, row), number(position, ids.size()));
        ids.push_back(rows.text(id, row).value_or(""));
      }
      const auto [known, is_new] = expected.emplace(position, ids);
      if (!is_new && !matches(known->second, ids)) return false;
    }
    positions_ = std::move(below);
    return true;
  }

 private:
  using Position = int64_t;

  Position position_of(int64_t key) const {
    const auto found = positions_.find(key);
    return found == positions_.end() ? 0 : found->second;
  }

  Position number(Position parent, std::size_t child) {
    return numbers_.emplace(std::pair(parent, child), static_cast<Position>(numbers_.size()) + 1).first->second;
  }

  static bool matches(std::vector<std::string>& expected, const std::vector<std::string>& ids) {
    if (ids.size() != expected.size()) return false;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (ids[i].starts_with(names::kPadding)) continue;
      if (expected[i].starts_with(names::kPadding)) expected[i] = ids[i];
      if (expected[i] != ids[i]) return false;
    }
    return true;
  }

  std::unordered_map<int64_t, Position> positions_;  ///< by row key; all rows of level 0 share one
  std::map<std::pair<Position, std::size_t>, Position> numbers_;
};

/// True when the samples of `view` have the same descendants, down to those of `level`.
bool same_children(const View& view, int level) {
  SameChildren trees;
  for (int above = 0; above < level; ++above) {
    if (!trees.add(*Dataset::Impl::compute(QueryPlan(view, Dataset::Impl::describe).children(above)))) return false;
  }
  return true;
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
  const bool whole = !impl_->has_given_rows && is_whole(impl_->view());
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
  const View& view = impl_->view();
  if (level != 0) check_level(level, view.num_levels(), impl_->path);
  auto columns = stored_columns(view, level);
  std::erase_if(columns, [](const Column& c) { return is_internal(c.name); });
  return columns;
}

int64_t Dataset::level_rows(int level) const {
  // The stored rows are counted, whatever the filters of this view.
  const View& all = impl_->view();
  if (level != 0) check_level(level, all.num_levels(), impl_->path);
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
  step.names_path = text.find("gdal_vsi") != text.npos || text.find("subfile") != text.npos;
  step.names_place = text.find(names::kOffset) != text.npos || text.find(names::kSize) != text.npos;
  return with_step(impl_, std::move(step));
}

Dataset Dataset::filter_bbox(const BBox& box, const FilterOptions& options) const {
  if (!box.valid()) {
    throw QueryError("bbox [" + std::to_string(box.minx) + ", " + std::to_string(box.miny) + ", " +
                     std::to_string(box.maxx) + ", " + std::to_string(box.maxy) + "] is not finite with miny <= maxy");
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
  const View& view = impl_->view();
  for (const auto& step : view.steps) {
    const auto* sql = std::get_if<SqlStep>(&step);
    if (!sql) continue;
    for (int level = 1; level <= names::kMaxLevel; ++level) {
      if (sql->select.tables.contains("level" + std::to_string(level))) return false;
    }
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

namespace {

Dataset open_dataset(const std::string& path, const Detected& at, const LoadOptions& options,
                     std::shared_ptr<const Storage> storage) {
  auto impl = std::make_shared<Dataset::Impl>();
  impl->path = path;
  impl->format = at.format;
  if (at.format == Format::Tacollection) {
    impl->collection = std::make_shared<const Collection>(read_collection(*storage, at, path));
    if (impl->collection->sources.empty())
      throw FormatError("no taco:sources: the partitions are unknown", {.path = path});
    std::set<std::string> files;
    for (const auto& source : impl->collection->sources) {
      if (files.insert(source.file).second) continue;
      throw FormatError("taco:sources: " + quoted(source.file) + " is listed twice, its rows would be too",
                        {.path = path});
    }
    impl->partitions = std::make_shared<const Partitions>(std::move(storage), impl->collection->sources,
                                                          options.base_path.empty() ? at.folder : options.base_path,
                                                          options.verify);
    return Dataset(std::move(impl));
  }
  auto container = open_container(std::move(storage), at, path, options.base_path, options.verify);
  impl->collection = std::shared_ptr<const Collection>(container, &container->collection());
  impl->base.base = std::move(container);
  return Dataset(std::move(impl));
}

/// The partitions of one dataset, in order, must all state the same number of partitions.
void check_partitions(const Detected& first, const Detected& at) {
  if (at.num_partitions == first.num_partitions) return;
  throw FormatError("a dataset of " + std::to_string(at.num_partitions) + " partitions; " + first.path + " is one of " +
                        std::to_string(first.num_partitions),
                    {.path = at.path});
}

/// Decodes percent escapes such as `%20`; any other percent sign stays.
std::string percent_decoded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned value = 0;
    const char* digits = text.data() + i + 1;
    if (text[i] == '%' && i + 2 < text.size() && std::from_chars(digits, digits + 2, value, 16).ptr == digits + 2) {
      out += static_cast<char>(value);
      i += 2;
    } else {
      out += text[i];
    }
  }
  return out;
}

/// The path in a `file://` URL (RFC 8089); any other path unchanged.
std::string without_file_scheme(std::string_view given) {
  constexpr std::string_view kFile = "file://", kLocalhost = "localhost";
  if (!given.starts_with(kFile)) return std::string(given);
  std::string_view path = given.substr(kFile.size());
  if (path.starts_with(kLocalhost)) path.remove_prefix(kLocalhost.size());
  if (!path.starts_with('/'))
    throw IoError("names a file of another machine; file:///PATH expected", {.path = std::string(given)}, ENOENT);
  return percent_decoded(path);
}

std::shared_ptr<const Storage> storage_for(const LoadOptions& options) {
  return options.remote ? any_storage(*options.remote) : any_storage();
}

/// All partitions of the dataset that `at` is one of. A part may lack a column that is null in all of its rows.
Dataset open_partitions(const std::string& path, const Detected& at, const LoadOptions& options,
                        const OpenedOnce& files, const std::shared_ptr<const Storage>& storage) {
  std::vector<Dataset> parts;
  for (const auto& part : partition_paths(files, at, options.allow_partial)) {
    const Detected found = detect(files, part);
    check_partitions(at, found);
    parts.push_back(open_dataset(part, found, options, storage));
    const Collection &first = parts[0].collection(), &here = parts.back().collection();
    const bool is_same = here.id == first.id && here.dataset_version == first.dataset_version;
    if (is_same || found.format != Format::Taco) continue;
    throw FormatError("a partition of " + quoted(here.id) + ", version " + quoted(here.dataset_version) + "; " +
                          parts[0].path() + " is one of " + quoted(first.id) + ", version " +
                          quoted(first.dataset_version),
                      {.path = part});
  }
  if (parts.size() == 1) return parts[0];
  auto impl = copy(*concat(parts, ColumnMode::FillMissing).impl());
  impl->path = path;
  return Dataset(std::move(impl));
}

}  // namespace

Dataset load(std::string_view given, const LoadOptions& options, std::shared_ptr<const Storage> storage) {
  const std::string path = without_file_scheme(given);
  const OpenedOnce files(*storage);
  const Detected at = detect(files, path);
  return at.num_partitions > 1 ? open_partitions(path, at, options, files, storage)
                               : open_dataset(path, at, options, std::move(storage));
}

Dataset load(std::string_view path, const LoadOptions& options) { return load(path, options, storage_for(options)); }

Dataset load(std::span<const std::string> paths, const LoadOptions& options) {
  if (paths.empty()) throw QueryError("empty list of paths; at least one expected");
  // The path of one partition stands for the whole dataset; with allow_partial it is only that partition.
  if (paths.size() == 1 && !options.allow_partial) return load(paths[0], options);
  const auto storage = storage_for(options);
  std::vector<Dataset> datasets;
  std::map<std::string, std::vector<Detected>> groups;
  for (const auto& given : paths) {
    const std::string path = without_file_scheme(given);
    Detected at = detect(*storage, path);
    datasets.push_back(open_dataset(path, at, options, storage));
    if (at.num_partitions == 1) continue;
    auto& group = groups[partition_group(path)];
    if (!group.empty()) check_partitions(group[0], at);
    group.push_back(std::move(at));
  }
  for (const auto& [name, group] : groups) {
    if (group.size() == group[0].num_partitions || options.allow_partial) continue;
    throw QueryError(std::to_string(group.size()) + " of " + std::to_string(group[0].num_partitions) +
                         " partitions are given; all expected",
                     {.path = group[0].path});
  }
  if (datasets.size() == 1) return datasets[0];
  const bool is_one_set = groups.size() == 1 && groups.begin()->second.size() == datasets.size();
  return concat(datasets, is_one_set ? ColumnMode::FillMissing : ColumnMode::Intersection);
}

Collection read_collection(std::string_view given, const LoadOptions& options) {
  const auto storage = storage_for(options);
  const std::string path = without_file_scheme(given);
  return read_collection(*storage, detect(*storage, path), path);
}

}  // namespace tacore
