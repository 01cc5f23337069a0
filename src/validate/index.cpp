#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "container/read_hints.hpp"
#include "dataset/open_container.hpp"
#include "dataset/partitions.hpp"
#include "format/names.hpp"
#include "format/tacocat_header.hpp"
#include "io/proved_here.hpp"
#include "io/vsi_path.hpp"
#include "model/collection_members.hpp"
#include "model/identifier.hpp"
#include "model/source_bounds.hpp"
#include "table/cells.hpp"
#include "table/compare_columns.hpp"
#include "table/covering.hpp"
#include "table/level_bounds.hpp"
#include "table/level_checksums.hpp"
#include "table/sorted_rows.hpp"
#include "validate/columns.hpp"
#include "validate/containers.hpp"
#include "validate/level_reader.hpp"
#include "validate/pit.hpp"
#include "validate/rows.hpp"

namespace tacore::validator {
namespace {

/// The rows of one source in each level of an index.
struct SourceRows {
  std::string file = {};
  std::vector<LevelRange> levels = {};
};

/// Opens and checks a source as a dataset of its own. An index is no source: one that names itself would never end.
std::optional<Checked> check_source(Report& report, const Storage& storage, const Index& index, const std::string& file,
                                    const ValidateOptions& options) {
  const ErrorContext where{.path = index.path};
  for (const auto& part : split(file, '/')) {
    if (const auto why = why_unsafe_id(part); !why.empty()) {
      report.add("CAT-4", "source " + in_quotes(file) + " has a part that " + why, where);
      return std::nullopt;
    }
  }
  const std::string path = path_join(index.base, file);
  try {
    const Detected at = detect(storage, path);
    if (at.format == Format::Zip) return check_zip_dataset(report, at.source, path, options);
    if (at.format == Format::Folder) return check_folder_dataset(report, storage, at.path, options);
    report.add("CAT-3", "source " + in_quotes(file) + " is an index", where);
  } catch (const Error& error) {
    report.add("CAT-3", "source " + in_quotes(file) + ": " + message_of(error), {.path = path});
  }
  return std::nullopt;
}

/// Descriptions are ignored, as is the order of columns, which are found by name. An index may also have the bounding
/// boxes of geometries.
bool same_fields(const std::vector<FieldDescription>& index, const std::vector<FieldDescription>& source) {
  using Fields = std::set<std::pair<std::string_view, std::string_view>>;
  const auto fields_of = [](const std::vector<FieldDescription>& fields) {
    Fields out;
    for (const auto& field : fields) out.emplace(field.name, field.type);
    return out;
  };
  const Fields all = fields_of(index), wanted = fields_of(source);
  return std::ranges::includes(all, wanted) && std::ranges::all_of(all, [&](const auto& field) {
           return wanted.contains(field) || is_covering(field.first, field.second);
         });
}

void check_same_schema(Report& report, const Collection& index, const Collection& source, const std::string& file,
                       const std::string& path) {
  if (!index.pit_schema.is_compatible(source.pit_schema)) {
    report.add("CAT-7", "source " + in_quotes(file) + " has a different taco:pit_schema than the index",
               {.path = path});
  }
  const bool same = std::equal(
      index.field_schema.begin(), index.field_schema.end(), source.field_schema.begin(), source.field_schema.end(),
      [](const auto& i, const auto& s) { return i.first == s.first && same_fields(i.second, s.second); });
  if (!same)
    report.add("CAT-7", "source " + in_quotes(file) + " has a different taco:field_schema than the index",
               {.path = path});
}

void check_sources(Report& report, const Collection& collection, const std::string& path) {
  std::set<std::string_view> files;
  for (const auto& source : collection.sources) {
    if (!files.insert(source.file).second)
      report.add("CAT-2", "source " + in_quotes(source.file) + " is listed twice", {.path = path});
    if (source.id.empty()) report.add("CAT-2", "source " + in_quotes(source.file) + " has no id", {.path = path});
  }
}

/// The rows of level 0 with those of each source together, in the order of internal:current_id, as the source has them:
/// an index may have its samples in any order. Empty where no source comes again after another.
std::vector<int64_t> rows_by_source(const LevelTable& table) {
  const int source = table.find(names::kSourceFile), current = table.find(names::kCurrentId);
  if (source < 0 || current < 0) return {};
  std::map<std::string, std::size_t, std::less<>> sources;  // their numbers, as they first occur
  const auto visit = [&](const auto& take) {
    for (int g = 0; g < table.num_row_groups(); ++g) {
      const auto files = table.decode(source, g);
      for (int64_t row = table.group_begin(g); row < table.group_begin(g + 1); ++row) {
        const auto file = text_cell(*files, row - table.group_begin(g)).value_or("");
        auto number = sources.find(file);
        if (number == sources.end()) number = sources.emplace(file, sources.size()).first;
        take(g, row, number->second);
      }
    }
  };
  bool is_mixed = false;
  std::size_t last = 0;
  visit([&](int, int64_t, std::size_t number) {
    is_mixed = is_mixed || number < last;
    last = number;
  });
  if (!is_mixed) return {};
  std::vector<std::tuple<std::size_t, int64_t, int64_t>> rows;
  int group = -1;
  std::shared_ptr<arrow::Array> ids;
  visit([&](int g, int64_t row, std::size_t number) {
    if (std::exchange(group, g) != g) ids = table.decode(current, g);
    rows.emplace_back(number, integer_cell(*ids, row - table.group_begin(g)).value_or(-1), row);
  });
  std::ranges::sort(rows);
  std::vector<int64_t> out;
  for (const auto& [number, id, row] : rows) out.push_back(row);
  return out;
}

/// The rows of an index by source, in the order of level 0; CAT-4 where that fails.
class Sources {
 public:
  Sources(Report& report, const Index& index, Checked& checked) : report_(report), index_(index), checked_(checked) {}

  std::vector<SourceRows> split() {
    if (!checked_.levels.empty() && checked_.levels[0]) put_together(checked_.levels[0]);
    for (std::size_t k = 0; k < checked_.levels.size(); ++k) {
      if (!checked_.levels[k]) break;
      split_level(k);
    }
    return std::move(out_);
  }

  /// The row of the index that row `row` of a level is in split().
  int64_t row_of_index(std::size_t level, int64_t row) const {
    return level == 0 && !order_.empty() ? order_[static_cast<std::size_t>(row)] : row;
  }

 private:
  void put_together(std::shared_ptr<const LevelTable>& level0) {
    try {
      order_ = rows_by_source(*level0);
      if (!order_.empty()) level0 = sorted_level(*level0, order_);
    } catch (const IoError&) {
      throw;
    } catch (const Error& error) {
      report_.add("SCH-1", error, level0->where());
      level0 = nullptr;
    }
  }

  void split_level(std::size_t k) {
    const auto& table = checked_.levels[k];
    const int column = table->find(names::kSourceFile);
    if (column < 0) return;
    SourceRows* current = nullptr;
    for (int g = 0; g < table->num_row_groups(); ++g) {
      std::shared_ptr<arrow::Array> files;
      try {
        files = table->decode(column, g);
      } catch (const Error& error) {
        return report_.add("SCH-1", error, table->where());
      }
      for (int64_t row = table->group_begin(g); row < table->group_begin(g + 1); ++row) {
        const auto file = text_cell(*files, row - table->group_begin(g));
        if (!file || !current || *file != current->file) current = begin(k, row, file);
        if (current) current->levels[k].end = row + 1;
      }
    }
  }

  SourceRows* begin(std::size_t k, int64_t row, std::optional<std::string_view> file) {
    const ErrorContext where{.path = index_.path, .offset = {}, .level = static_cast<int>(k)};
    if (!file) {
      report_.add("CAT-4", "row " + std::to_string(row_of_index(k, row)) + ": internal:source_file is null", where);
      return nullptr;
    }
    auto found = std::find_if(out_.begin(), out_.end(), [&](const SourceRows& source) { return source.file == *file; });
    if (found == out_.end()) {
      check_listed(*file, row_of_index(k, row), where);
      found = out_.insert(out_.end(), SourceRows{.file = std::string(*file)});
    }
    if (found->levels.size() > k) {
      report_.add("CAT-4",
                  "row " + std::to_string(row) + ": the rows of source " + in_quotes(*file) + " are not consecutive",
                  where);
      return nullptr;
    }
    // A source may have no rows at a level, even between others.
    while (found->levels.size() <= k)
      found->levels.push_back({.table = checked_.levels[found->levels.size()], .begin = row, .end = row});
    return &*found;
  }

  void check_listed(std::string_view file, int64_t row, const ErrorContext& where) {
    const auto& listed = checked_.collection ? checked_.collection->sources : std::vector<Source>{};
    const auto same = [&](const Source& source) { return source.file == file; };
    if (listed.empty() || std::any_of(listed.begin(), listed.end(), same)) return;
    report_.add("CAT-4", "row " + std::to_string(row) + ": source " + in_quotes(file) + " is not in taco:sources",
                where);
  }

  Report& report_;
  const Index& index_;
  Checked& checked_;
  std::vector<int64_t> order_ = {};  ///< rows_by_source()
  std::vector<SourceRows> out_;
};

/// The row of the index that a row of a level is.
using RowOfIndex = std::function<int64_t(int64_t row)>;

/// CAT-5 for one level: ids and types in the index against those of the source.
void compare_level(Report& report, const LevelRange& found, const LevelTable& expected, const std::string& file,
                   const RowOfIndex& row_of_index, const ErrorContext& where) {
  if (found.end - found.begin != expected.num_rows()) {
    report.add("CAT-5",
               "source " + in_quotes(file) + " has " + counted(static_cast<uint64_t>(expected.num_rows()), "row") +
                   ", the index has " + std::to_string(found.end - found.begin),
               where);
    return;
  }
  const int id = expected.find(names::kId), type = expected.find(names::kType);
  try {
    int group = -1;
    std::shared_ptr<arrow::Array> ids, types;
    visit_rows(report, found, [&](const Row& row) {
      if (const int g = expected.group_of(row.number); g != group) {
        group = g;
        ids = expected.decode(id, g);
        types = expected.decode(type, g);
      }
      const int64_t i = row.number - expected.group_begin(group);
      if (text_cell(*ids, i) == row.id && text_cell(*types, i) == row.type) return;
      report.add("CAT-5",
                 "row " + std::to_string(row_of_index(found.begin + row.number)) + " is " +
                     std::string(row.type.value_or("null")) + " " + in_quotes(row.id.value_or("")) + ", source " +
                     in_quotes(file) + " has " + std::string(text_cell(*types, i).value_or("null")) + " " +
                     in_quotes(text_cell(*ids, i).value_or("")),
                 where);
    });
  } catch (const Error&) {
    return;  // reported by the check of the source
  }
}

/// CAT-5 for the values of a level with equal rows.
void compare_values(Report& report, const LevelRange& found, const LevelTable& expected, const std::string& file,
                    const RowOfIndex& row_of_index, const ErrorContext& where) {
  if (found.end - found.begin != expected.num_rows() || expected.num_rows() == 0) return;
  std::vector<std::pair<int64_t, int64_t>> rows;
  for (int64_t row = 0; row < expected.num_rows(); ++row) rows.emplace_back(found.begin + row, row);
  for (std::size_t c = 0; c < expected.columns().size(); ++c) {
    const std::string& column = expected.columns()[c].name;
    const int same = found.table->find(column);
    if (same < 0 || column == names::kId || column == names::kType || column.starts_with(names::kInternal)) continue;
    try {
      const ComparedColumn here(*found.table, same, found.begin, found.end);
      const ComparedColumn there(expected, static_cast<int>(c), 0, expected.num_rows());
      compare_columns(here, there, rows, [&](std::size_t i) {
        report.add("CAT-5",
                   "row " + std::to_string(row_of_index(rows[i].first)) + ": " + column + " is " +
                       here.text(rows[i].first).value_or("null") + ", source " + in_quotes(file) + " has " +
                       there.text(rows[i].second).value_or("null"),
                   where);
      });
    } catch (const Error&) {
      continue;  // reported as SCH-1
    }
  }
}

/// CAT-9: the level tables of a source are those from which the index was made.
void check_checksums(Report& report, const Storage& storage, const Index& index, const Collection& collection,
                     const std::string& file) {
  const auto source = std::ranges::find(collection.sources, file, &Source::file);
  const auto crc32s = level_crc32s(collection);
  if (source == collection.sources.end() || crc32s.empty()) return;
  const auto& expected = crc32s[static_cast<std::size_t>(source - collection.sources.begin())];
  const auto found = level_checksums(*storage.open(path_join(index.base, file), kReadZip));
  if (expected.empty() || found.empty() || found == expected) return;
  report.add("CAT-9", "source " + in_quotes(file) + " was changed after the index was made, which has the old values",
             {.path = index.path});
}

void compare_levels(Report& report, const SourceRows& found, const Checked& source, const Sources& sources,
                    const std::string& path, const ValidateOptions& options) {
  for (std::size_t k = 0; k < source.levels.size(); ++k) {
    if (!source.levels[k]) continue;
    const ErrorContext where{.path = path, .offset = {}, .level = static_cast<int>(k)};
    const LevelRange none{.table = source.levels[k]};
    const LevelRange& rows = k < found.levels.size() ? found.levels[k] : none;
    const RowOfIndex row_of_index = [&](int64_t row) { return sources.row_of_index(k, row); };
    compare_level(report, rows, *source.levels[k], found.file, row_of_index, where);
    if (options.deep) compare_values(report, rows, *source.levels[k], found.file, row_of_index, where);
  }
}

void check_source_extent(Report& report, const Collection& index, const std::string& file,
                         const std::vector<LevelRange>& levels, const std::string& path) {
  const auto same = [&](const Source& source) { return source.file == file; };
  const auto source = std::find_if(index.sources.begin(), index.sources.end(), same);
  if (source == index.sources.end()) return;
  for (std::size_t k = 0; k < levels.size(); ++k) {
    if (levels[k].table)
      check_extent(report, source->extent, levels[k], file, {.path = path, .offset = {}, .level = static_cast<int>(k)});
  }
}

/// CAT-10: the bounds in taco:sources against the rows of each source.
class CheckBounds {
 public:
  CheckBounds(Report& report, const Collection& collection, const Index& index)
      : report_(report), collection_(collection), index_(index) {
    try {
      stated_ = bounds_of(collection);
    } catch (const FormatError& error) {
      report.add("CAT-10", error, {.path = index.path});
    }
    if (!stated_.empty()) fact_ = fact_of_bounds(collection.json, index.base, collection.sources);
  }

  /// The next source.
  void check(const std::string& file, const std::vector<std::shared_ptr<const LevelTable>>& levels) {
    if (num_checked_ >= stated_.size()) return;
    const SourceBounds& stated = stated_[num_checked_];
    if (collection_.sources[num_checked_].file != file) return;  // one before it cannot be read
    ++num_checked_;
    if (levels.size() != stated.size()) {
      return fault(
          file, {},
          "bounds of " + std::to_string(stated.size()) + " levels are stated, it has " + std::to_string(levels.size()));
    }
    for (std::size_t k = 0; k < levels.size(); ++k) {
      if (!levels[k]) {
        ++num_faults_;  // it cannot be read, which another rule says
        return;
      }
      const int level = static_cast<int>(k);
      compare(file, level, stated[k], *levels[k]);
      auto columns = sorted_columns(*levels[k]);
      if (columns_.size() <= k) columns_.push_back(std::move(columns));
      else if (columns_[k] != columns) fault(file, level, "it has other columns than the first source");
    }
  }

  /// Remembers bounds that are right and complete, for readers on this machine.
  void remember() const {
    const bool is_whole = !stated_.empty() && num_checked_ == stated_.size() && num_faults_ == 0;
    if (is_whole && fact_ && fact_ == fact_of_bounds(collection_.json, index_.base, collection_.sources))
      remember_proved(*fact_);
  }

 private:
  void fault(const std::string& file, std::optional<int> level, const std::string& what) {
    ++num_faults_;
    report_.add("CAT-10", "source " + in_quotes(file) + ": " + what,
                {.path = index_.path, .offset = {}, .level = level});
  }

  void compare(const std::string& file, int level, const LevelBounds& stated, const LevelTable& table) {
    if (stated.num_rows != table.num_visible_rows()) {
      fault(file, level,
            "has " + std::to_string(table.num_visible_rows()) + " rows, " + std::to_string(stated.num_rows) +
                " are stated");
    }
    const LevelBounds found = bounds_of(table);
    if (stated.ids && found.ids && (found.ids->first < stated.ids->first || found.ids->second > stated.ids->second)) {
      fault(file, level,
            "ids from " + in_quotes(found.ids->first) + " to " + in_quotes(found.ids->second) +
                " are not within the bounds");
    }
    if (stated.ids && !found.ids && found.num_rows > 0) fault(file, level, "its ids have no bounds");
    for (const auto& [column, box] : stated.places) {
      const auto values = found.places.find(column);
      if (values == found.places.end()) {
        fault(file, level, in_quotes(column) + " has no bounds");
      } else if (values->second && !(box && is_within(*values->second, *box))) {
        fault(file, level, "geometries of " + in_quotes(column) + " are not within the bounds");
      }
    }
    for (const auto& [column, times] : stated.times) {
      const auto values = found.times.find(column);
      if (values == found.times.end()) {
        fault(file, level, in_quotes(column) + " has no bounds");
      } else if (values->second &&
                 !(times && values->second->start >= times->start && values->second->end <= times->end)) {
        fault(file, level, "times of " + in_quotes(column) + " are not within the bounds");
      }
    }
  }

  static bool is_within(const BBox& inner, const BBox& outer) {
    return inner.minx >= outer.minx && inner.miny >= outer.miny && inner.maxx <= outer.maxx && inner.maxy <= outer.maxy;
  }

  Report& report_;
  const Collection& collection_;
  const Index& index_;
  std::vector<SourceBounds> stated_ = {};
  std::optional<std::string> fact_ = {};
  std::vector<std::vector<Column>> columns_ = {};  ///< of the first source, sorted
  std::size_t num_checked_ = 0;
  int num_faults_ = 0;
};

void open_index_file(Report& report, const Index& index, Checked& out) {
  const Bytes head = index.file->read({0, std::min(index.file->size(), tacocat_header::kSize)});
  tacocat_header::Header header;
  try {
    header = tacocat_header::parse(head, index.file->size());
  } catch (const FormatError& error) {
    return report.add("CAT-1", error, {.path = index.path});
  }
  out.collection = check_collection(report, *slice(index.file, header.collection), index.path);
  for (std::size_t k = 0; k < header.levels.size(); ++k) {
    out.levels.push_back(open_level(report, slice(index.file, header.levels[k]),
                                    {.path = index.path, .offset = {}, .level = static_cast<int>(k)}));
  }
}

void open_index_folder(Report& report, const Storage& storage, const Index& index, Checked& out) {
  out.collection = check_collection(report, *storage.open(path_join(index.folder, names::kCollection)), index.path);
  if (out.collection && out.collection->sources.empty())
    report.add("CAT-2", "taco:sources is missing", {.path = index.path});
  for (int k = 0; k <= names::kMaxLevel; ++k) {
    const std::string name = path_join(index.folder, names::kLevelFiles[k]);
    const auto source = storage.open_all({&name, 1}, {&kReadLevel, 1})[0];
    if (!source) break;
    out.levels.push_back(open_level(report, source, {.path = name, .offset = {}, .level = k}));
  }
  if (out.levels.empty()) report.add("SCH-1", "level0.parquet is missing", {.path = index.path, .level = 0});
}

}  // namespace

void check_tacocat(Report& report, const Storage& storage, const Index& index, const ValidateOptions& options) {
  Checked checked;
  if (index.file) {
    open_index_file(report, index, checked);
  } else {
    open_index_folder(report, storage, index, checked);
  }
  const Collection* collection = checked.collection ? &*checked.collection : nullptr;
  if (collection && !index.file) check_sources(report, *collection, index.path);  // an index file is its own list
  for (const auto& table : checked.levels) {
    if (table) check_columns(report, *table, TableKind::Index, collection);
    if (table && options.deep) check_values(report, *table);
  }
  PitShape shape;
  Sources sources(report, index, checked);
  for (const SourceRows& rows : sources.split()) {
    auto source = check_source(report, storage, index, rows.file, options);
    Section section{.path = index.path, .levels = rows.levels, .is_zip = true};
    if (source && source->entries) section.entries = &*source->entries;
    check_rows(report, section, shape);
    if (source) compare_levels(report, rows, *source, sources, index.path, options);
    if (source && collection) check_checksums(report, storage, index, *collection, rows.file);
    if (source && source->collection && collection)
      check_same_schema(report, *collection, *source->collection, rows.file, index.path);
    if (collection) check_source_extent(report, *collection, rows.file, rows.levels, index.path);
  }
  if (collection) check_pit_schema(report, collection->pit_schema, shape, checked, index.path);
}

void check_tacollection(Report& report, const Storage& storage, const Index& index, const ValidateOptions& options) {
  const auto collection = check_collection(report, *index.file, index.path);
  if (!collection) return;
  CheckBounds bounds(report, *collection, index);
  if (collection->sources.empty())
    report.add("CAT-2", "taco:sources is missing, or lists no files", {.path = index.path});
  check_sources(report, *collection, index.path);
  uint64_t root_n = 0;
  bool all = true;
  for (const auto& source : collection->sources) {
    const auto checked = check_source(report, storage, index, source.file, options);
    all = all && checked && checked->collection;
    if (!checked) continue;
    std::vector<LevelRange> levels;
    for (const auto& table : checked->levels)
      levels.push_back({.table = table, .begin = 0, .end = table ? table->num_rows() : 0});
    check_source_extent(report, *collection, source.file, levels, index.path);
    bounds.check(source.file, checked->levels);
    if (!checked->collection) continue;
    root_n += checked->collection->pit_schema.root_n;
    check_same_schema(report, *collection, *checked->collection, source.file, index.path);
  }
  if (all && root_n != collection->pit_schema.root_n) {
    report.add("CAT-8",
               "n of the root is " + std::to_string(collection->pit_schema.root_n) + ", the sources have " +
                   std::to_string(root_n) + " in total",
               {.path = index.path, .level = 0});
  }
  bounds.remember();
}

}  // namespace tacore::validator
