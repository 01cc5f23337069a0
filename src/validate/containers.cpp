#include "validate/containers.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "base/threads.hpp"
#include "container/read_hints.hpp"
#include "format/names.hpp"
#include "io/block_source.hpp"
#include "io/vsi_path.hpp"
#include "table/cells.hpp"
#include "tacore/dataset.hpp"
#include "validate/columns.hpp"
#include "validate/fields.hpp"
#include "validate/folder.hpp"
#include "validate/pit.hpp"
#include "validate/rows.hpp"
#include "validate/zip.hpp"

namespace tacore::validator {
namespace {

std::vector<LevelRange> whole_levels(const Checked& checked) {
  std::vector<LevelRange> out;
  for (const auto& table : checked.levels) {
    if (!table) break;
    out.push_back({.table = table, .begin = 0, .end = table->num_rows()});
  }
  return out;
}

/// PIT-3: the type of the rows of the root against that in the collection, or that of the first row.
void check_root_type(Report& report, const Checked& checked, const std::string& path) {
  if (checked.levels.empty() || !checked.levels[0]) return;
  const LevelTable& root = *checked.levels[0];
  const int type = root.find(names::kType);
  std::string expected = checked.collection ? to_string(checked.collection->pit_schema.root_type) : "";
  try {
    for (int g = 0; g < root.num_row_groups(); ++g) {
      const auto types = root.decode(type, g);
      for (int64_t i = 0; i < root.group_begin(g + 1) - root.group_begin(g); ++i) {
        const auto found = text_cell(*types, i);
        if (!found || (*found != "FILE" && *found != "FOLDER")) continue;  // reported as SCH-3 or SCH-4
        if (expected.empty()) expected = *found;
        if (*found == expected) continue;
        report.add("PIT-3",
                   "row " + std::to_string(root.group_begin(g) + i) + " is " + std::string(*found) + ", " + expected +
                       " expected",
                   {.path = path, .level = 0});
      }
    }
  } catch (const Error&) {
    return;  // reported where the rows are checked
  }
}

/// ID-4: siblings that are one file on systems that ignore case or the Unicode form of names. Computed in SQL, which
/// supports both.
void check_folded_ids(Report& report, const std::string& path, std::size_t num_levels) {
  if (is_remote(path) || report.has_errors()) return;  // damaged datasets are not queried
  try {
    const Dataset dataset = load(path);
    for (std::size_t level = 0; level < num_levels; ++level) {
      const std::string parent = level > 0 ? sql_identifier(names::kParentId) + ", " : "";
      const DataFrame twins = dataset
                                  .sql("SELECT min(id) AS a, max(id) AS b FROM level" + std::to_string(level) +
                                       " GROUP BY " + parent + "nfc_normalize(lower(id)) HAVING min(id) <> max(id)")
                                  .data();
      for (int64_t row = 0; row < twins.num_rows(); ++row) {
        report.add("ID-4",
                   in_quotes(twins.text(row, "a").value_or("")) + " and " +
                       in_quotes(twins.text(row, "b").value_or("")) +
                       " are siblings that differ in case or Unicode form only",
                   {.path = path, .level = static_cast<int>(level)});
      }
    }
  } catch (const IoError& error) {
    if (!error.not_found()) throw;  // a missing partition is reported as CAT-3
  } catch (const Error&) {
    return;  // what cannot be opened breaks other rules
  }
}

/// All that tables and collection state of one container.
void check_contents(Report& report, Checked& checked, TableKind kind, Section section, const ValidateOptions& options) {
  for (const auto& table : checked.levels) {
    if (table) check_columns(report, *table, kind, checked.collection ? &*checked.collection : nullptr);
    if (table && options.deep) check_values(report, *table);
    if (table) check_fields(*table, false, [&](auto rule, auto& what) { report.add(rule, what, table->where()); });
  }
  section.levels = whole_levels(checked);
  section.jobs =
      is_remote(section.path) ? 1 : num_threads(options.task.jobs);  // a server is asked for one block after the other
  if (checked.collection) {
    if (!checked.collection->sources.empty())
      report.add("COL-17", "taco:sources is in a dataset that is not an index", {.path = section.path});
    for (const auto& rows : section.levels) {
      if (rows.table) check_extent(report, checked.collection->extent, rows, "", rows.table->where());
    }
  }
  section.entries = checked.entries ? &*checked.entries : nullptr;
  check_root_type(report, checked, section.path);
  PitShape shape;
  const bool is_complete = check_rows(report, section, shape);
  check_folded_ids(report, section.path, section.levels.size());
  if (checked.collection) check_pit_schema(report, checked.collection->pit_schema, shape, checked, section.path);
  // A reference to a missing row is not reported again.
  const int num_levels = checked.collection ? checked.collection->pit_schema.max_depth() + 1 : 1;
  const bool has_all_levels =
      section.levels.size() == checked.levels.size() && static_cast<int>(section.levels.size()) >= num_levels;
  if (section.entries && is_complete && has_all_levels) check_unreferenced(report, section);
}

std::shared_ptr<const ByteSource> part_of(Report& report, const std::shared_ptr<const ByteSource>& whole,
                                          const ByteRange& range, std::string_view rule, const ErrorContext& where) {
  try {
    return slice(whole, range);
  } catch (const FormatError& error) {
    report.add(rule, error, where);
    return nullptr;
  }
}

/// What is read of a ZIP on a server for its small tables: bytes at a time, and how many such blocks are kept.
constexpr uint64_t kBlockOfMetas = 64 * 1024;
constexpr std::size_t kNumBlocks = 256;

/// nullopt when it is missing, nullptr when it cannot be read.
std::optional<std::shared_ptr<const LevelTable>> open_folder_level(Report& report, const Storage& storage,
                                                                   const std::string& folder, int level) {
  const std::string name = path_join(path_join(folder, names::kMetadata), names::kLevelFiles[level]);
  const auto source = storage.open_all({&name, 1}, {&kReadLevel, 1})[0];
  if (!source) return std::nullopt;
  return open_level(report, source, {.path = name, .offset = {}, .level = level});
}

}  // namespace

Checked check_zip_dataset(Report& report, const std::shared_ptr<const ByteSource>& archive, const std::string& path,
                          const ValidateOptions& options) {
  Checked out;
  out.entries = check_zip(report, *archive, options.deep);
  const Tables tables = check_header(report, *archive, out.entries ? &*out.entries : nullptr);
  // Without a directory, ZIP-1 has reported the reason.
  if (out.entries && !tables.collection) report.add("COL-1", "the ZIP has no entry COLLECTION.json", {.path = path});
  if (out.entries && tables.levels.empty())
    report.add("SCH-1", "the ZIP has no entry METADATA/level0.parquet", {.path = path, .level = 0});
  const auto document =
      tables.collection ? part_of(report, archive, *tables.collection, "COL-1", {.path = path}) : nullptr;
  if (document) out.collection = check_collection(report, *document, path);
  for (std::size_t k = 0; k < tables.levels.size(); ++k) {
    const ErrorContext where{.path = path, .offset = {}, .level = static_cast<int>(k)};
    const auto source = part_of(report, archive, tables.levels[k], "SCH-1", where);
    out.levels.push_back(source ? open_level(report, source, where) : nullptr);
  }
  Section section{.path = path, .is_zip = true, .deep = options.deep};
  // The `__meta__` of FOLDERs mostly follow each other.
  const auto source = archive->is_local() ? archive : in_blocks(archive, kBlockOfMetas, kNumBlocks);
  section.open_entry = [&out, source](std::size_t entry) {
    return slice(source, {out.entries->offset(entry), out.entries->size_of(entry)});
  };
  check_contents(report, out, TableKind::Zip, std::move(section), options);
  return out;
}

Checked check_folder_dataset(Report& report, const Storage& storage, const std::string& path,
                             const ValidateOptions& options) {
  Checked out;
  out.collection = check_collection(report, *storage.open(path_join(path, names::kCollection)), path);
  for (int k = 0; k <= names::kMaxLevel; ++k) {
    auto level = open_folder_level(report, storage, path, k);
    if (!level && k == 0) report.add("SCH-1", "METADATA/level0.parquet is missing", {.path = path, .level = 0});
    if (!level) break;
    out.levels.push_back(std::move(*level));
  }
  if (is_remote(path)) {
    out.entries = list_remote_data(storage, path, out.levels);
  } else {
    check_metadata_folder(report, path, out.levels.size());
    out.entries = list_data(report, path);
  }
  Section section{.path = path, .is_zip = false, .deep = options.deep};
  section.open_entry = [&](std::size_t entry) { return storage.open(path_join(path, out.entries->names()[entry])); };
  check_contents(report, out, TableKind::Folder, std::move(section), options);
  return out;
}

}  // namespace tacore::validator
