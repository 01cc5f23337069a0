#include <algorithm>
#include <exception>
#include <unordered_map>

#include "base/text.hpp"
#include "format/names.hpp"
#include "io/vsi_path.hpp"
#include "net/storage.hpp"
#include "table/metadata_columns.hpp"
#include "table/read_table.hpp"
#include "tacore/error.hpp"
#include "writer/remote_payloads.hpp"
#include "writer/tree_sources.hpp"
#include "writer/write_options.hpp"

namespace tacore {
namespace {

/// A sample of a row, or a FOLDER above one.
struct Node {
  std::string id = {};
  int64_t row = -1;
  std::vector<std::size_t> children = {};
};

class TableTree {
 public:
  TableTree(std::shared_ptr<arrow::Table> table, const std::string& name, const std::string& folder)
      : path_(name), folder_(folder), table_(std::move(table)) {
    names_ = column_names(*table_);
    check_metadata(*table_, {"id", "path", "type"}, path_);
    ids_ = text_column(*table_, "id", name);
    if (has("path")) paths_ = text_column(*table_, "path", name);
    if (has("type")) types_ = text_column(*table_, "type", path_);
    paths_.resize(ids_.size());
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
        level.payloads.push_back(payload_or_fault(node));
        level_rows.push_back(node.row);
      }
      open_remote(level);
      level.parents = std::move(parents);
      out.levels.push_back(std::move(level));
      here = std::move(below);
      parents = std::move(below_parents);
    }
    if (num_faults_ == 1) std::rethrow_exception(first_fault_);
    if (num_faults_ > 1) {
      throw SchemaError(std::to_string(num_faults_) + " rows are wrong: " + join(faults_, "; ") +
                            (num_faults_ > faults_.size() ? "; ..." : ""),
                        {.path = path_});
    }
    for (std::size_t k = 0; k < out.levels.size(); ++k)
      out.levels[k].columns = take_rows(*table_, rows[k], columns(rows[k]));
    return out;
  }

 private:
  bool has(const std::string& column) const {
    const auto names = column_names(*table_);
    return std::find(names.begin(), names.end(), column) != names.end();
  }

  [[noreturn]] void fail(std::size_t row, const std::string& what) const {
    throw SchemaError("row " + std::to_string(row) + " (" + in_quotes(ids_[row].value_or("null")) + ") " + what,
                      {.path = path_});
  }

  void add(std::size_t row) {
    if (!ids_[row] || ids_[row]->empty()) fail(row, "has no id");
    std::size_t above = 0;
    std::string path;
    for (const auto& part : split(*ids_[row], '/')) {
      path += "/" + part;
      const auto [found, is_new] = by_path_.emplace(path, nodes_.size());
      if (is_new) {
        nodes_[above].children.push_back(nodes_.size());
        nodes_.push_back({.id = part});
      }
      above = found->second;
    }
    if (nodes_[above].row >= 0) fail(row, "occurs twice, first in row " + std::to_string(nodes_[above].row));
    nodes_[above].row = static_cast<int64_t>(row);
  }

  /// Faults are collected and reported together.
  Payload payload_or_fault(const Node& node) {
    constexpr std::size_t kMostTold = 20;
    try {
      return payload(node);
    } catch (const Error& error) {
      if (num_faults_++ == 0) first_fault_ = std::current_exception();
      const std::string row = node.row < 0 ? "" : "row " + std::to_string(node.row) + ": ";
      const bool says_row = error.message().starts_with("row ");
      if (faults_.size() < kMostTold) faults_.push_back(says_row ? error.message() : row + error.what());
      return {};
    }
  }

  Payload payload(const Node& node) const {
    const auto row = static_cast<std::size_t>(node.row);
    const bool listed = node.row >= 0;
    const bool has_path = listed && paths_[row] && !paths_[row]->empty();
    if (listed && !types_.empty() && types_[row]) {
      const char* type = node.children.empty() ? "FILE" : "FOLDER";
      if (*types_[row] != type) fail(row, "has type " + in_quotes(*types_[row]) + ", but is a " + type);
    }
    if (!node.children.empty()) {
      if (has_path) fail(row, "has a path and children; one of them expected");
      return {};
    }
    if (!has_path) fail(row, "has neither a path nor children");
    const std::string& path = *paths_[row];
    if (is_remote_file(path)) return {.path = path};  // opened later by open_remote()
    return payload_of(path.starts_with('/') ? path : path_join(folder_, path));
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

  std::string path_, folder_;
  std::shared_ptr<arrow::Table> table_;
  std::vector<std::optional<std::string>> ids_, paths_, types_;
  std::vector<std::string> names_;
  std::vector<Node> nodes_ = std::vector<Node>(1);  ///< the first is the parent of the roots
  std::unordered_map<std::string, std::size_t> by_path_;
  std::size_t num_faults_ = 0;
  std::vector<std::string> faults_ = {};  ///< the first few
  std::exception_ptr first_fault_ = {};
};

}  // namespace

Tree tree_of_table(const std::string& path) { return tree_of_table(read_table(path), path, parent_folder(path)); }

Tree tree_of_table(const std::shared_ptr<arrow::Table>& table, const std::string& name, const std::string& folder) {
  return TableTree(table, name, folder).run();
}

}  // namespace tacore
