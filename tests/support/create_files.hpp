#pragma once

#include <arrow/c/abi.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "format/zip_records.hpp"
#include "support/load_files.hpp"
#include "support/support.hpp"
#include "table/arrow_stream.hpp"
#include "table/encode.hpp"
#include "table/metadata_columns.hpp"
#include "table/rows.hpp"
#include "table/values.hpp"
#include "tacore/error.hpp"
#include "tacore/ops/validate.hpp"
#include "tacore/write/create.hpp"

/// For tests that create and then read: sources, what is made of them, and what that holds.
namespace tacore {

inline Collection collection() {
  return {.id = "made",
          .dataset_version = "1.2.3",
          .description = "Made by a test",
          .licenses = {"CC-BY-4.0"},
          .providers = {{.name = "tacore"}},
          .tasks = {"other"}};
}

inline Strings sorted(Strings lines) {
  std::sort(lines.begin(), lines.end());
  return lines;
}

/// A place for sources, and one for what is made of them.
class Workshop {
 public:
  Workshop() = default;
  /// In memory, where nothing waits for a disk: for tests of hundreds of datasets.
  static Workshop in_memory() { return Workshop(fs::exists("/dev/shm") ? "/dev/shm" : fs::temp_directory_path()); }

  void add(const std::string& name, const std::string& bytes) const { source_.write(name, bytes); }
  std::string source(const std::string& name = "") const { return source_.path(name); }
  std::string out(const std::string& name) const { return out_.path(name); }
  int num_made() const {
    return static_cast<int>(std::distance(fs::directory_iterator(out_.path()), fs::directory_iterator()));
  }
  Tortilla tree() const { return Tortilla::from_folder(source()); }

 private:
  explicit Workshop(const fs::path& place) : source_(place), out_(place) {}

  TemporaryFolder source_, out_;
};

/// The rows of a stored table in columns: its cells as text, `null` where there is none.
inline Strings cells_of(const std::shared_ptr<const LevelTable>& table, const std::string& column) {
  const auto rows = level_rows(table, {}, 0, table->num_rows());
  Strings out;
  for (int64_t row = 0; row < table->num_rows(); ++row) {
    const auto cell = rows->cell(rows->find(column), row);
    out.push_back(cell_as_text(*cell.array, cell.position).value_or("null"));
  }
  return out;
}

/// `path=bytes` of all FILEs below, in order.
inline Strings contents(const DataFrame& frame, const std::string& above = "") {
  Strings out;
  for (const auto& id : frame.num_rows() == 0 ? Strings() : ids(frame)) {
    const Node node = frame.read(id);
    if (const auto* below = std::get_if<DataFrame>(&node)) {
      for (auto& line : contents(*below, above + id + "/")) out.push_back(std::move(line));
    } else {
      out.push_back(above + id + "=" + to_text(frame.read_bytes(id)));
    }
  }
  return out;
}

/// The rows that show as a table.
inline std::shared_ptr<arrow::Table> table_of(const DataFrame& frame) {
  ArrowArrayStream stream;
  frame.export_stream(&stream);
  return import_table(&stream);
}
inline std::vector<Value> values_of(const arrow::Table& table, const std::string& column) {
  return read_values(*column_or_null(table, column));
}

inline std::vector<zip::CentralEntry> zip_entries(const std::string& archive) {
  const auto bytes = std::as_bytes(std::span(archive));
  const auto directory = zip::find_directory(bytes, 0);
  return zip::parse_directory(bytes.subspan(directory.offset, directory.size), directory);
}

/// Every file of a container by its name: entries of a ZIP, files of a FOLDER.
inline std::map<std::string, std::string> files_of(const std::string& path) {
  std::map<std::string, std::string> out;
  if (fs::is_directory(path)) {
    for (const auto& entry : fs::recursive_directory_iterator(path))
      if (entry.is_regular_file()) out[fs::relative(entry.path(), path)] = file_text(entry.path());
    return out;
  }
  const std::string archive = file_text(path);
  for (const auto& entry : zip_entries(archive))
    out[entry.name] = archive.substr(entry.local_offset + zip::local_header_size(entry), entry.size);
  return out;
}

inline std::string faults(const std::string& path) {
  std::string out;
  for (const auto& issue : validate(path, {.deep = true})) out += issue.rule + " " + issue.message + "\n";
  return out;
}

/// The first line in which both differ; "" when there is none.
inline std::string difference(const Strings& found, const Strings& expected) {
  for (std::size_t i = 0; i < std::max(found.size(), expected.size()); ++i) {
    const std::string is = i < found.size() ? found[i] : "nothing", was = i < expected.size() ? expected[i] : "nothing";
    if (is != was) return "line " + std::to_string(i) + ": " + is + "\n  expected: " + was;
  }
  return "";
}

}  // namespace tacore
