#include "edit/plan.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <set>
#include <unordered_map>

#include "base/log.hpp"
#include "base/text.hpp"
#include "base/threads.hpp"
#include "format/names.hpp"
#include "io/byte_source.hpp"
#include "model/collection_json.hpp"
#include "model/collection_members.hpp"
#include "model/collection_rules.hpp"
#include "model/identifier.hpp"
#include "model/json_text.hpp"
#include "table/edit_columns.hpp"
#include "table/level_write.hpp"
#include "table/metadata_columns.hpp"
#include "table/parquet_write.hpp"
#include "table/read_table.hpp"
#include "tacore/error.hpp"

namespace tacore {
namespace {

/// Why a member of COLLECTION.json cannot be edited, "" when it can.
std::string why_fixed(std::string_view key) {
  if (key == "id") return "identifies the dataset in other files";
  if (key == "taco_version") return "states the format of the dataset";
  if (key == "taco:pit_schema" || key == "taco:field_schema") return "is computed from the samples";
  if (key == "taco:sources" || key == "_tacocat") return "is computed from the files of the index";
  return "";
}

/// Why a column cannot be edited, "" when it can.
std::string why_fixed_column(std::string_view name) {
  const bool is_fixed = name == names::kId || name == names::kType || names::is_internal(name);
  return is_fixed ? why_bad_key(name) : "";
}

void check_key(const std::string& key, const WhyFixed& why_fixed) {
  if (key.empty() || !is_utf8(key)) throw ValidationError("key " + in_quotes(key) + " is empty or not UTF-8");
  if (const auto why = why_fixed(key); !why.empty())
    throw ValidationError(in_quotes(key) + " cannot be edited: it " + why);
}

/// Finds the rows of a table by the samples of a level.
class Join {
 public:
  Join(const std::vector<std::string>& paths, int level, const std::string& path) : level_(level), path_(path) {
    for (std::size_t row = 0; row < paths.size(); ++row) by_path_.emplace(paths[row], row);
    for (const auto& sample : paths) {
      is_padding_.push_back(is_padding_id(file_name_of(sample)));
      rows_.push_back(is_padding_.back() ? kGetsNull : kKeepsItsValue);
    }
  }

  std::vector<int64_t> rows(const arrow::Table& table, const std::string& key, const std::string& name) const {
    auto out = rows_;
    const auto ids = text_column(table, key, name);
    for (std::size_t i = 0; i < ids.size(); ++i) {
      const auto fail = [&](const std::string& what) {
        throw SchemaError("row " + std::to_string(i) + " (" + in_quotes(ids[i].value_or("null")) + ") " + what,
                          {.path = name});
      };
      if (!ids[i]) fail("has no " + key);
      std::string_view id = *ids[i];
      if (id.ends_with('/')) id.remove_suffix(1);
      const auto found = by_path_.find(id);
      if (found == by_path_.end()) fail("is not a sample of level " + std::to_string(level_) + " of " + path_);
      if (is_padding_[found->second]) fail("is padding, which has no metadata");
      int64_t& row = out[found->second];
      if (row >= 0) fail("occurs twice, first in row " + std::to_string(row));
      row = static_cast<int64_t>(i);
    }
    return out;
  }

 private:
  static std::string_view file_name_of(std::string_view path) { return path.substr(path.rfind('/') + 1); }

  int level_;
  const std::string& path_;
  std::unordered_map<std::string_view, std::size_t> by_path_;
  std::vector<bool> is_padding_;
  std::vector<int64_t> rows_;
};

void check_may_go(const std::string& name, const arrow::Table& level, const WhyFixed& why_fixed,
                  const ErrorContext& where) {
  if (const auto why = why_fixed(name); !why.empty())
    throw SchemaError("column " + in_quotes(name) + " " + why + "; it cannot be dropped", where);
  find_column(level, name, where.path);
}

/// The keys of each row of a JSON Lines table, quoted, by which a missing key differs from a stored null. "" is among
/// them when a key is written with escapes, so that it may be any key.
std::vector<std::set<std::string>> keys_of_rows(const std::string& name) {
  std::vector<std::set<std::string>> out;
  if (!ends_with_ignoring_case(name, ".jsonl")) return out;
  const Bytes bytes = local_storage()->open(name)->read_all();
  for (const auto& line : split({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, '\n')) {
    if (line.find_first_not_of(" \t\r") == line.npos) continue;
    auto& keys = out.emplace_back();
    for (const auto& member : json_members(line))
      keys.emplace(member.key.find('\\') == member.key.npos ? member.key : std::string_view());
  }
  return out;
}

std::shared_ptr<arrow::Table> with_table(std::shared_ptr<arrow::Table> level, const Join& join, int number,
                                         const std::string& name, const std::vector<std::string>& dropped,
                                         const WhyFixed& why_fixed) {
  const auto table = read_table(name);
  const auto columns = column_names(*table);
  const auto written = keys_of_rows(name);
  const std::string path(names::kRelativePath);
  const bool has_path = number > 0 && std::find(columns.begin(), columns.end(), path) != columns.end();
  const std::string key = has_path ? path : std::string(names::kId);
  // Where rows are found by path, their id adds nothing.
  std::vector<std::string_view> keys{key};
  if (has_path) keys.push_back(names::kId);
  check_metadata(*table, keys, name);
  const auto rows = join.rows(*table, key, name);
  for (const auto& column : columns) {
    if (std::find(keys.begin(), keys.end(), column) != keys.end()) continue;
    if (const auto why = why_fixed(column); !why.empty())
      throw SchemaError("column " + in_quotes(column) + " " + why, {.path = name});
    auto from = rows;
    for (auto& row : from) {
      if (row < 0 || written.empty()) continue;
      const auto& members = written.at(static_cast<std::size_t>(row));
      if (!members.contains("") && !members.contains(json_string(column))) row = kKeepsItsValue;
    }
    const bool is_dropped = std::ranges::find(dropped, column) != dropped.end();
    if (is_dropped && std::ranges::find(from, kKeepsItsValue) != from.end()) {
      throw ValidationError(
          "column " + in_quotes(column) +
              " cannot be dropped and set for some samples only: the other samples would lose their values",
          {.path = name});
    }
    try {
      level = set_column(level, *table, column, from);
    } catch (const SchemaError& error) {
      throw SchemaError(error.message() + " unless all samples are listed", {.path = name});
    }
  }
  return level;
}

/// SQL ignores the case of names.
void check_case(const arrow::Table& level, const ErrorContext& where) {
  std::unordered_map<std::string, std::string> folded;
  for (const auto& name : column_names(level)) {
    const auto [known, is_new] = folded.emplace(lower(name), name);
    if (is_new) continue;
    throw SchemaError("columns " + in_quotes(known->second) + " and " + in_quotes(name) +
                          " differ in case only; SQL takes them for one",
                      where);
  }
}

std::vector<FieldDescription> fields_of(const arrow::Table& level, const std::vector<FieldDescription>& old) {
  auto out = describe_fields(level);
  std::erase_if(out, [](const FieldDescription& field) {
    return field.name == names::kOffset || field.name == names::kSize || field.name == names::kSourceFile;
  });
  for (auto& field : out) {
    const auto known =
        std::find_if(old.begin(), old.end(), [&](const auto& other) { return other.name == field.name; });
    if (known != old.end()) field.description = known->description;
  }
  return out;
}

}  // namespace

std::vector<MemberChange> member_changes(const Edit& edit, const WhyFixed& why_fixed) {
  std::vector<MemberChange> out;
  const auto put = [&](const std::string& key, std::optional<std::string> value) {
    check_key(key, why_fixed);
    std::erase_if(out, [&](const MemberChange& change) { return change.first == key; });
    out.emplace_back(key, std::move(value));
  };
  for (const auto& [key, json] : edit.set) {
    try {
      reformat_json(json, -1);
    } catch (const FormatError& error) {
      throw ValidationError("the value of " + in_quotes(key) + " is " + error.message());
    }
    put(key, json);
  }
  for (const auto& key : edit.unset) put(key, std::nullopt);
  return out;
}

std::shared_ptr<arrow::Table> edited_columns(std::shared_ptr<arrow::Table> level, const Edit& edit,
                                             const std::vector<std::string>& samples, const std::string& path,
                                             const WhyFixed& why_fixed) {
  for (const auto& name : edit.drop) {
    check_may_go(name, *level, why_fixed, {.path = path, .offset = {}, .level = edit.level});
    level = without_column(level, name);
  }
  if (edit.columns.empty()) return level;
  const Join join(samples, edit.level, path);
  for (const auto& table : edit.columns) level = with_table(level, join, edit.level, table, edit.drop, why_fixed);
  return level;
}

EditPlan plan_values(const ValueEdit& edit, const Container& container, const std::string& path) {
  EditPlan out;
  for (const auto& [level, column, rows, values] : edit.values) {
    if (const auto why = why_fixed_column(column); !why.empty())
      throw SchemaError("column " + in_quotes(column) + " " + why, {.path = path});
    auto& table = out.tables[level];
    if (!table) table = whole_table(*container.stored_level(level));
    table = set_values(table, column, rows, values, {.path = path, .offset = {}, .level = level});
  }
  auto fields = container.collection().field_schema;
  for (const auto& [level, column, text] : edit.descriptions) {
    auto& here = fields["level" + std::to_string(level)];
    const auto field = std::ranges::find(here, column, &FieldDescription::name);
    if (field == here.end()) {
      throw SchemaError("taco:field_schema has no column " + in_quotes(column),
                        {.path = path, .offset = {}, .level = level});
    }
    field->description = text;
  }
  const Collection& old = container.collection();
  out.collection = edit.descriptions.empty()
                       ? old.json
                       : with_members(old.json, {{"taco:field_schema", encode_field_schema(fields)}});
  return out;
}

EditPlan plan_edit(const Edit& edit, const Collection& collection, const Container* container,
                   const std::string& path) {
  auto changes = member_changes(edit, why_fixed);
  EditPlan out;
  if (!edit.columns.empty() || !edit.drop.empty()) {
    if (!container) {
      throw ValidationError("the columns of an index are those of its ZIPs: edit them, and index them again",
                            {.path = path});
    }
    const auto level = container->stored_level(edit.level);
    const ErrorContext where{.path = path, .offset = {}, .level = edit.level};
    // Paths below the root are computed only where needed: an edit may drop columns of a level that has no paths.
    SamplePaths paths(*container);
    const auto table = edited_columns(whole_table(*level), edit,
                                      edit.columns.empty() ? std::vector<std::string>() : paths.of(edit.level), path,
                                      why_fixed_column);
    check_case(*table, where);
    out.tables.emplace(edit.level, table);
    auto fields = collection.field_schema;
    auto& here = fields["level" + std::to_string(edit.level)];
    here = fields_of(*table, here);
    changes.emplace_back("taco:field_schema", encode_field_schema(fields));
  }
  if (changes.empty()) throw ValidationError("nothing is to change", {.path = path});
  out.collection = with_members(collection.json, changes);
  Collection edited;
  try {
    edited = parse_collection(out.collection, path);
  } catch (const FormatError& error) {
    throw ValidationError("the edited collection could not be read: " + error.message(), {.path = path});
  }
  for (const auto& licence : unknown_licences(edited)) {
    const auto is_old = [&](const std::string& old) { return old == licence; };
    if (std::any_of(collection.licenses.begin(), collection.licenses.end(), is_old)) continue;
    log::warning(path + ": the licence " + tacore::in_quotes(licence) + " is not an SPDX identifier such as CC-BY-4.0");
  }
  if (const auto faults = collection_faults(edited); !faults.empty()) {
    throw ValidationError("the edited collection breaks " + std::to_string(faults.size()) +
                              (faults.size() == 1 ? " rule: " : " rules: ") + join(faults, "; "),
                          {.path = path});
  }
  return out;
}

const std::vector<std::string>& SamplePaths::of(int level) {
  while (static_cast<int>(paths_.size()) <= level) {
    const int here = static_cast<int>(paths_.size());
    auto& paths = paths_.emplace_back();
    const int64_t num_rows = container_.stored_level(here)->num_rows();
    for (int64_t row = 0; row < num_rows; ++row) paths.push_back(container_.relative_path(here, row));
  }
  return paths_[static_cast<std::size_t>(level)];
}

const std::vector<std::vector<int64_t>>& SamplePaths::children(int level) {
  of(level + 1);
  while (static_cast<int>(children_.size()) <= level) {
    const auto here = children_.size();
    std::unordered_map<std::string_view, std::size_t> rows;
    for (std::size_t row = 0; row < paths_[here].size(); ++row) rows.emplace(paths_[here][row], row);
    auto& children = children_.emplace_back(paths_[here].size());
    for (std::size_t child = 0; child < paths_[here + 1].size(); ++child) {
      const std::string_view path = paths_[here + 1][child];
      const auto parent = rows.find(path.substr(0, path.rfind('/')));
      if (parent == rows.end()) {
        throw FormatError(
            "row " + std::to_string(child) + " (" + in_quotes(path) + ") has no parent in the level above",
            {.path = container_.path(), .offset = {}, .level = static_cast<int>(here) + 1});
      }
      children[parent->second].push_back(static_cast<int64_t>(child));
    }
  }
  return children_[static_cast<std::size_t>(level)];
}

bool SamplePaths::is_folder(int level, int64_t row) const {
  return sample_type(*container_.stored_level(level), row) == SampleType::Folder;
}

std::vector<Bytes> encode_metas(const std::shared_ptr<arrow::Table>& table,
                                const std::vector<std::vector<int64_t>>& children, std::span<const int64_t> rows,
                                const WriteOptions& options) {
  std::vector<Bytes> out(rows.size());
  run_parallel(out.size(), options.jobs, [&](std::size_t i) {
    const auto& mine = children[static_cast<std::size_t>(rows[i])];
    const bool are_neighbours = !mine.empty() && mine.back() - mine.front() + 1 == static_cast<int64_t>(mine.size());
    out[i] =
        encode_parquet(are_neighbours ? *slice_rows(table, mine.front(), mine.back() + 1) : *take_rows(*table, mine),
                       options_of_meta(options.parquet));
  });
  return out;
}

Unchanged::Unchanged(std::string path) : path_(std::move(path)) {
  struct stat now = {};
  if (::stat(path_.c_str(), &now) != 0) throw IoError("cannot open", {.path = path_}, errno);
  facts_ = {static_cast<int64_t>(now.st_dev), static_cast<int64_t>(now.st_ino), now.st_size, now.st_mtim.tv_sec,
            now.st_mtim.tv_nsec};
}

void Unchanged::check() const {
  if (Unchanged(path_).facts_ != facts_)
    throw IoError("was changed by another program during this edit", {.path = path_});
}

}  // namespace tacore
