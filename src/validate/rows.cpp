#include "validate/rows.hpp"

#include <algorithm>
#include <unordered_map>

#include "base/text.hpp"
#include "format/names.hpp"
#include "model/identifier.hpp"
#include "validate/level_reader.hpp"
#include "validate/meta.hpp"
#include "validate/pit.hpp"
#include "validate/tiff.hpp"

namespace tacore::validator {
namespace {

/// The rows of a level, for the check of the level below. A row of unknown id has an empty path.
struct Parents {
  Names paths;
  std::vector<bool> is_folder;
  std::vector<bool> is_visited;     ///< was found as a parent
  std::vector<uint32_t> node;       ///< node in the shape, for a FOLDER
  std::vector<int64_t> current_id;  ///< empty when they are the row numbers
  std::unordered_map<int64_t, std::size_t> row_of;
  bool is_complete = true;  ///< every row has a path and a type

  void add(std::string_view path, bool folder, uint32_t shape_node) {
    paths.add(path);
    is_folder.push_back(folder);
    is_visited.push_back(false);
    node.push_back(shape_node);
  }
  std::optional<std::size_t> find(int64_t id) {
    if (current_id.empty()) {
      return id >= 0 && static_cast<std::size_t>(id) < paths.size() ? std::optional(static_cast<std::size_t>(id))
                                                                    : std::nullopt;
    }
    if (row_of.empty()) {
      for (std::size_t row = 0; row < current_id.size(); ++row) row_of.emplace(current_id[row], row);
    }
    const auto found = row_of.find(id);
    return found == row_of.end() ? std::nullopt : std::optional(found->second);
  }
};

/// Checks one level of a section, row by row.
class LevelCheck {
 public:
  LevelCheck(Report& report, const Section& section, int level, Parents& above, PitShape& shape)
      : report_(report),
        section_(section),
        level_(level),
        above_(above),
        shape_(shape),
        meta_(report, section, level),
        columns_(*range().table) {}

  Parents run() {
    visit_rows(report_, range(), [&](const Row& row) { check(row); });
    close_group();
    if (level_ > 0) check_childless();
    meta_.finish();
    check_unique();
    if (!ids_are_rows_) out_.current_id = std::move(current_ids_);
    return std::move(out_);
  }

 private:
  const LevelRange& range() const { return section_.levels[static_cast<std::size_t>(level_)]; }

  void check(const Row& row) {
    row_ = &row;
    const auto type = check_type();
    check_id();
    check_current_id();
    std::string path;
    const bool has_parent = level_ == 0 ? check_root() : check_parent();
    if (has_parent && row.id) {
      path = level_ == 0 ? std::string(*row.id) : std::string(above_.paths[parent_]) + "/" + std::string(*row.id);
    }
    const bool folder = type == SampleType::Folder;
    uint32_t node = folder ? PitShape::kRoot : PitShape::kNone;
    if (level_ > 0) {
      node = has_parent && row.id && type ? shape_.add(report_, *row.id, *type, where()) : PitShape::kNone;
    }
    if (!path.empty()) check_path(path, folder);
    if (!path.empty() && type) check_files(path, *type);
    out_.add(path, folder, node);
    if (path.empty() || !type) out_.is_complete = false;
  }

  std::optional<SampleType> check_type() {
    if (!row_->type) {
      report_.add("SCH-3", name() + ": type is null", where());
    } else if (*row_->type == "FILE") {
      return SampleType::File;
    } else if (*row_->type == "FOLDER") {
      return SampleType::Folder;
    } else {
      report_.add("SCH-4", name() + ": type is " + in_quotes(*row_->type) + ", FILE or FOLDER expected", where());
    }
    return std::nullopt;
  }

  void check_id() {
    if (!row_->id) return;  // reported when it was decoded
    if (const auto why = why_bad_id(*row_->id); !why.empty()) {
      report_.add("ID-1", name() + ": id " + in_quotes(*row_->id) + " " + why, where());
    }
    if (!is_padding_id(*row_->id)) return;
    const auto number = row_->id->substr(names::kPadding.size());
    const bool digits = !number.empty() && number.find_first_not_of("0123456789") == number.npos;
    // A FOLDER of padding has the size of its `__meta__`.
    if (!digits || (row_->type == "FILE" && row_->size.value_or(0) != 0)) {
      report_.add("ID-3",
                  name() + ": padding " + in_quotes(*row_->id) + " has the type " +
                      std::string(row_->type.value_or("null")) + " and the size " + number_or_null(row_->size) +
                      "; the name __TACOPAD__N, and size 0 of a FILE, expected",
                  where());
    }
  }

  void check_current_id() {
    if (columns_.current_id < 0) return;
    const auto id = row_->current_id;
    if (!id || (row_->number > 0 && *id <= last_id_)) {
      report_.add("LVL-2",
                  name() + ": internal:current_id is " + number_or_null(id) + ", more than " +
                      std::to_string(last_id_) + " expected",
                  where());
    } else if (*id != row_->number) {
      report_.add(
          "LVL-3",
          name() + ": internal:current_id is " + number_or_null(id) + ", " + std::to_string(row_->number) + " expected",
          where());
    }
    ids_are_rows_ = ids_are_rows_ && id == row_->number;
    last_id_ = id.value_or(last_id_);
    // Stored from the first one that is not the row number.
    if (!ids_are_rows_) {
      for (auto k = static_cast<int64_t>(current_ids_.size()); k < row_->number; ++k) current_ids_.push_back(k);
      current_ids_.push_back(id.value_or(-1));
    }
  }

  bool check_root() {
    const auto current = row_->current_id ? row_->current_id : row_->number;
    if (columns_.parent_id >= 0 && !row_->parent_text && row_->parent_id != current) {
      report_.add("LVL-6",
                  name() + ": internal:parent_id is " + number_or_null(row_->parent_id) + ", " +
                      number_or_null(current) + " expected",
                  where());
    }
    return true;
  }

  /// Finds the parent and adds the row to its children; false when there is no parent.
  bool check_parent() {
    if (columns_.parent_id < 0) return false;
    const auto parent = find_parent();
    if (!parent || !above_.is_folder[*parent]) {
      report_.add("LVL-4",
                  name() + ": internal:parent_id " +
                      (row_->parent_text ? in_quotes(*row_->parent_text) : number_or_null(row_->parent_id)) +
                      (parent ? " refers to a row that is not a FOLDER, of level " : " refers to no row of level ") +
                      std::to_string(level_ - 1),
                  where());
      return false;
    }
    if (!in_group_ || *parent != parent_) begin_group(*parent);
    return !above_.paths[parent_].empty() && above_.node[parent_] != PitShape::kNone;
  }

  std::optional<std::size_t> find_parent() {
    if (row_->parent_id) return above_.find(*row_->parent_id);
    if (!row_->parent_text) return std::nullopt;
    // The id of the parent, as the text of §7.2.2 has it: unique only at level 0, so the path is used, too.
    if (level_ == 1) return above_.paths.find(*row_->parent_text);
    if (!row_->relative_path) return std::nullopt;
    std::string_view path = *row_->relative_path;
    if (path.ends_with('/')) path.remove_suffix(1);
    return above_.paths.find(path.substr(0, std::min(path.size(), path.rfind('/'))));
  }

  void begin_group(std::size_t parent) {
    close_group();
    const bool again = above_.is_visited[parent];
    if (again || (any_group_ && parent < parent_)) {
      report_.add("LVL-5",
                  name() + ": its parent is row " + std::to_string(parent) + " of level " + std::to_string(level_ - 1) +
                      ", after rows whose parent is row " + std::to_string(parent_),
                  where());
    }
    above_.is_visited[parent] = true;
    parent_ = parent;
    in_group_ = any_group_ = true;
    if (above_.node[parent] == PitShape::kNone) return;
    counted_ = !again;
    shape_.begin(above_.node[parent], above_.paths[parent]);
    if (!again) meta_.begin(above_.paths[parent]);
  }

  void close_group() {
    if (!in_group_) return;
    in_group_ = false;
    if (above_.node[parent_] != PitShape::kNone && counted_)
      shape_.end(report_, {.path = section_.path, .level = level_});
    meta_.end();
  }

  /// FOLDERs that are no row's parent are empty ones: part of the tree as all others.
  void check_childless() {
    for (std::size_t row = 0; row < above_.paths.size(); ++row) {
      if (!above_.is_folder[row] || above_.is_visited[row] || above_.node[row] == PitShape::kNone ||
          above_.paths[row].empty())
        continue;
      shape_.begin(above_.node[row], above_.paths[row]);
      shape_.end(report_, {.path = section_.path, .level = level_});
      meta_.begin(above_.paths[row]);
      meta_.end();
    }
  }

  void check_path(const std::string& path, bool folder) {
    if (level_ == 0 || columns_.relative_path < 0) return;
    const auto found = row_->relative_path;
    if (found == path + (folder ? "/" : "")) return;
    if (found == path) {
      return report_.add("LVL-9", name() + ": internal:relative_path of a FOLDER has no slash at its end", where());
    }
    report_.add("LVL-7",
                name() + ": internal:relative_path is " + (found ? in_quotes(*found) : "null") + ", " +
                    in_quotes(folder ? path + "/" : path) + " expected",
                where());
  }

  void check_files(const std::string& path, SampleType type) {
    std::optional<std::size_t> entry;
    if (section_.entries) entry = check_entry(path, type);
    if (entry && type == SampleType::File && row_->header) check_header(*entry);
    meta_.check(*row_, type, entry);
  }

  std::optional<std::size_t> check_entry(const std::string& path, SampleType type) {
    const std::string expected =
        std::string(names::kData) + path + (type == SampleType::Folder ? "/" + std::string(names::kMeta) : "");
    const auto entry = section_.entries->find(expected);
    if (!entry) {
      // The published writer drops padding whose file it does not find.
      if (is_padding_id(*row_->id) && !row_->offset) return entry;
      const bool zip = section_.is_zip;
      const auto rule = zip ? "OFF-3" : type == SampleType::File ? "DIR-1" : "MET-1";
      report_.add(rule,
                  name() + (zip ? ": the ZIP has no entry " + in_quotes(expected)
                                : ": the file " + in_quotes(expected) + " is missing"),
                  where());
      return entry;
    }
    section_.entries->mark(*entry);
    if (section_.is_zip && columns_.offset >= 0 && columns_.size >= 0) check_place(*entry, type, expected);
    return entry;
  }

  void check_place(std::size_t entry, SampleType type, const std::string& expected) {
    const auto offset = static_cast<int64_t>(section_.entries->offset(entry)),
               size = static_cast<int64_t>(section_.entries->size_of(entry));
    if (row_->offset == offset && row_->size == size) return;
    ErrorContext at = where();
    if (row_->offset && *row_->offset >= 0) at.offset = static_cast<uint64_t>(*row_->offset);
    report_.add(type == SampleType::File ? "OFF-1" : "OFF-2",
                name() + ": internal:offset is " + number_or_null(row_->offset) + ", internal:size " +
                    number_or_null(row_->size) + "; " + in_quotes(expected) + " is " + std::to_string(size) +
                    " bytes at " + std::to_string(offset),
                at);
  }

  void check_header(std::size_t entry) {
    HeaderCell cell{.row = name(), .header = *row_->header, .size = section_.entries->size_of(entry)};
    try {
      if (section_.deep && section_.open_entry) cell.source = section_.open_entry(entry);
    } catch (const FormatError& error) {  // an entry outside of its ZIP
      return report_.add("TIF-2", error, where());
    }
    check_tiff_header(report_, cell, where());
  }

  void check_unique() {
    out_.paths.sort();
    for (const std::size_t row : out_.paths.duplicates()) {
      if (out_.paths[row].empty()) continue;
      report_.add("ID-2", "row " + std::to_string(row) + ": " + in_quotes(out_.paths[row]) + " occurs twice",
                  {.path = section_.path, .level = level_});
    }
  }

  std::string name() const {
    const std::string out = "row " + std::to_string(row_->number);
    if (row_->relative_path) return out + " (" + in_quotes(*row_->relative_path) + ")";
    return row_->id ? out + " (" + in_quotes(*row_->id) + ")" : out;
  }
  ErrorContext where() const { return {.path = section_.path, .offset = {}, .level = level_}; }

  Report& report_;
  const Section& section_;
  int level_;
  Parents& above_;
  PitShape& shape_;
  MetaChecks meta_;
  RowColumns columns_;
  Parents out_;
  const Row* row_ = nullptr;
  std::size_t parent_ = 0;  ///< row in the level above
  bool in_group_ = false;
  bool any_group_ = false;
  bool counted_ = true;  ///< the children of this parent are consecutive, so their number is meaningful
  bool ids_are_rows_ = true;
  int64_t last_id_ = -1;
  std::vector<int64_t> current_ids_;
};

}  // namespace

bool check_rows(Report& report, const Section& section, PitShape& shape) {
  Parents above;
  bool is_complete = true;
  for (int level = 0; level < static_cast<int>(section.levels.size()); ++level) {
    if (!section.levels[static_cast<std::size_t>(level)].table) return false;
    above = LevelCheck(report, section, level, above, shape).run();
    is_complete = is_complete && above.is_complete;
  }
  return is_complete;
}

void check_unreferenced(Report& report, const Section& section) {
  for (std::size_t i = 0; i < section.entries->size(); ++i) {
    const auto name = section.entries->names()[i];
    // The names of folders are checked by ZIP-10.
    if (!name.starts_with(names::kData) || name.ends_with('/') || section.entries->is_marked(i)) continue;
    ErrorContext where{.path = section.path};
    if (section.is_zip) where.offset = section.entries->offset(i);
    report.add(section.is_zip ? "OFF-4" : "DIR-3", in_quotes(name) + " belongs to no row", where);
  }
}

}  // namespace tacore::validator
