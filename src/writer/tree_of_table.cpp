#include <algorithm>
#include <memory>
#include <span>
#include <string_view>
#include <system_error>
#include <unordered_map>

#include "base/text.hpp"
#include "format/names.hpp"
#include "io/vsi_path.hpp"
#include "model/identifier.hpp"
#include "net/storage.hpp"
#include "table/metadata_columns.hpp"
#include "table/read_table.hpp"
#include "table/sample_table.hpp"
#include "tacore/error.hpp"
#include "writer/remote_payloads.hpp"
#include "writer/tree_sources.hpp"
#include "writer/write_options.hpp"

namespace tacore {
namespace {

Bytes copy(std::string_view bytes) {
  const auto data = std::as_bytes(std::span(bytes));
  return {data.begin(), data.end()};
}

/// A sample of a row, or a FOLDER above one.
struct Node {
  std::string id = {};
  int64_t row = -1;
  std::vector<std::size_t> children = {};
};

class TableTree {
 public:
  /// `name` is the table in messages; relative paths of samples start from `folder`.
  TableTree(TableWithData rows, const std::string& name, const std::string& folder, const TableOptions& options)
      : path_(name),
        folder_(folder),
        path_column_(name_in_file("path", options)),
        rows_(std::move(rows)),
        faults_(name, options) {
    const auto named = with_sample_names(rows_.table, options, path_);
    table_ = with_times(named, options, faults_);
    names_ = column_names(*table_);
    check_metadata(*table_, {"id", "path", "type"}, path_);
    ids_ = text_column(*table_, "id", path_);
    paths_ = text_column(*table_, "path", path_);
    if (std::ranges::find(names_, "type") != names_.end()) types_ = text_column(*table_, "type", path_);
  }

  Tree run() {
    for (std::size_t row = 0; row < ids_.size(); ++row) add(row);
    Tree out;
    std::vector<std::size_t> here = nodes_[0].children;
    std::vector<int64_t> parents;
    std::vector<std::vector<int64_t>> rows;
    while (!here.empty()) {
      TreeLevel level;
      std::vector<std::size_t> below;
      std::vector<int64_t> below_parents;
      auto& level_rows = rows.emplace_back();
      for (const std::size_t n : here) {
        const Node& node = nodes_[n];
        for (const std::size_t child : node.children) {
          below.push_back(child);
          below_parents.push_back(static_cast<int64_t>(level.ids.size()));
        }
        level.ids.push_back(node.id);
        level.types.push_back(node.children.empty() ? SampleType::File : SampleType::Folder);
        level.payloads.push_back(payload(node));
        level_rows.push_back(node.row);
      }
      level.parents = std::move(parents);
      out.levels.push_back(std::move(level));
      here = std::move(below);
      parents = std::move(below_parents);
    }
    faults_.throw_if_any();
    for (std::size_t k = 0; k < out.levels.size(); ++k) {
      open_remote(out.levels[k]);
      out.levels[k].columns = take_rows(*table_, rows[k], columns(rows[k]));
    }
    return out;
  }

 private:
  /// `what` continues a sentence that begins with the row.
  void fault(int64_t row, const std::string& what, int64_t other = -1) {
    faults_.add(row, " (" + in_quotes(*ids_[static_cast<std::size_t>(row)]) + ") " + what, other);
  }

  void wrong_path(int64_t row, const std::string& what, int error_number = 0) {
    const std::string& id = *ids_[static_cast<std::size_t>(row)];
    faults_.add(row, " (" + in_quotes(id) + "), column " + in_quotes(path_column_) + ": " + what, -1, error_number);
  }

  /// A row with a wrong id is told, and left out.
  void add(std::size_t number) {
    const auto row = static_cast<int64_t>(number);
    const auto& id = ids_[number];
    if (!id || id->empty()) return faults_.add(row, " has no id");
    const auto parts = split(*id, '/');
    for (const auto& part : parts) {
      if (const auto why = why_bad_id(part); !why.empty()) {
        return fault(row, "has an id" + (parts.size() > 1 ? " whose part " + in_quotes(part) : " that") + " " + why);
      }
    }
    std::size_t above = 0;
    std::string path;
    for (const auto& part : parts) {
      path += "/" + part;
      const auto [found, is_new] = by_path_.emplace(path, nodes_.size());
      if (is_new) {
        nodes_[above].children.push_back(nodes_.size());
        nodes_.push_back({.id = part});
      }
      above = found->second;
    }
    if (nodes_[above].row >= 0) return fault(row, "has the id of", nodes_[above].row);
    nodes_[above].row = row;
  }

  Payload payload(const Node& node) {
    if (node.row < 0) return {};  // a FOLDER that only its children name
    const auto row = static_cast<std::size_t>(node.row);
    const bool has_path = paths_[row] && !paths_[row]->empty();
    const bool has_data = !rows_.bytes.empty() && rows_.bytes[row];
    const bool has_children = !node.children.empty();
    if (!types_.empty() && types_[row]) {
      const char* type = has_children ? "FOLDER" : "FILE";
      if (*types_[row] != type) fault(node.row, "has type " + in_quotes(*types_[row]) + ", but is a " + type);
    }
    if (has_children && has_path) fault(node.row, "has a path and children; one of them expected");
    if (has_children && has_data) fault(node.row, "has data and children; one of them expected");
    if (has_path && has_data) fault(node.row, "has a path and data; one of them expected");
    if (!has_children && !has_path && !has_data) fault(node.row, rows_.bytes.empty() ? "has neither a path nor children" : "has neither a path, data nor children");
    if (has_data && !has_children && !has_path) return payload_of(copy(*rows_.bytes[row]), "");
    if (has_children || !has_path) return {};
    const std::string& path = *paths_[row];
    if (is_remote_file(path)) return {.path = path};  // opened later by open_remote()
    try {
      return payload_of(path.starts_with('/') ? path : path_join(folder_, path));
    } catch (const IoError& error) {
      // The words of the error number come last, and faults_ adds them again.
      const std::string reason = ": " + std::generic_category().message(error.error_number());
      std::string what = error.what();
      if (error.error_number() != 0 && what.ends_with(reason)) what.resize(what.size() - reason.size());
      wrong_path(node.row, what, error.error_number());
    } catch (const Error& error) {
      wrong_path(node.row, error.what());
    }
    return {};
  }

  static bool is_remote_file(const std::string& path) { return is_remote(path) && !path.starts_with("/vsisubfile/"); }

  /// Opens the remote files in parallel.
  static void open_remote(TreeLevel& level) {
    std::vector<std::size_t> rows;
    std::vector<std::string> paths;
    for (std::size_t row = 0; row < level.payloads.size(); ++row) {
      const Payload& payload = level.payloads[row];
      if (payload.remote || !is_remote_file(payload.path)) continue;
      rows.push_back(row);
      paths.push_back(payload.path);
    }
    auto payloads = remote_payloads(any_storage(), paths, kDefaultConcurrentRequests);
    for (std::size_t i = 0; i < rows.size(); ++i) level.payloads[rows[i]] = std::move(payloads[i]);
  }

  /// The metadata of a level: the columns that some of its rows have, and those that are all null.
  std::vector<int> columns(const std::vector<int64_t>& rows) const {
    std::vector<int> out;
    for (int c = 0; c < static_cast<int>(names_.size()); ++c) {
      const std::string& name = names_[static_cast<std::size_t>(c)];
      if (name == "id" || name == "path" || name == "type") continue;
      if (has_value(*table_, c, rows) || !has_value(*table_, c)) out.push_back(c);
    }
    return out;
  }

  std::string path_, folder_, path_column_;
  TableWithData rows_;
  std::shared_ptr<arrow::Table> table_;
  std::vector<std::optional<std::string>> ids_, paths_, types_;
  std::vector<std::string> names_;
  std::vector<Node> nodes_ = std::vector<Node>(1);  ///< the first is the parent of the roots
  std::unordered_map<std::string, std::size_t> by_path_;
  RowFaults faults_;
};

}  // namespace

Tree tree_of_table(const std::string& path, const TableOptions& options) {
  return TableTree({read_table(path, options)}, path, parent_folder(path), options).run();
}

Tree tree_of_rows(const std::shared_ptr<arrow::Table>& table, const TableOptions& options) {
  auto rows = take_data(table, options);
  rows.table = in_one_piece(rows.table);
  return TableTree(std::move(rows), "table", to_vsi("."), options).run();
}

}  // namespace tacore
