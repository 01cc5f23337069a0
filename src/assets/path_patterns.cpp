#include <algorithm>
#include <map>

#include "assets/findings.hpp"
#include "base/text.hpp"
#include "container/container.hpp"
#include "table/values.hpp"

namespace tacore::assets {
namespace {

/// The part of a layer that has to name its own files, before the others are exceptions.
constexpr double kOwnPart = 0.95;

/// A path as a column writes it: what comes before the path from DATA/, and that path.
struct WrittenPath {
  std::string prefix, path;
};

WrittenPath written_path(const std::string& text) {
  std::size_t begin = 0;
  for (const std::string_view known : {"./", "/", "DATA/"}) {
    if (text.substr(begin).starts_with(known)) begin += known.size();
  }
  std::string path = text.substr(begin);
  if (path.ends_with('/')) path.pop_back();
  return {text.substr(0, begin), path};
}

class PathPatterns {
 public:
  PathPatterns(const Survey& survey, std::size_t layer)
      : survey_(survey), number_(layer), layer_(survey.layers[layer]) {}

  std::vector<Finding> all() {
    const auto& columns = survey_.container->stored_level(layer_.level)->columns();
    for (int column = 0; column < static_cast<int>(columns.size()); ++column) {
      const auto& [name, type] = columns[static_cast<std::size_t>(column)];
      const bool is_text = type.find("string") != type.npos;
      if (!is_text || name == names::kId || name == names::kType || names::is_internal(name)) continue;
      check(column, name);
    }
    return std::move(out_);
  }

 private:
  std::string root_of(const Layer& layer, std::size_t index) const {
    const auto& roots = survey_.container->stored_level(0);
    return roots->text(roots->find(names::kId), layer.roots[index]).value_or("");
  }

  std::string own_path(const Layer& layer, std::size_t index) const {
    const std::string root = root_of(layer, index);
    return layer.name.empty() ? root : root + "/" + layer.name;
  }

  /// The rows of a layer whose value is not the path of their own file, of those that have a value.
  std::vector<std::size_t> others(const Layer& layer, const std::vector<Value>& values, std::size_t& num_values) const {
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto* text = values[i].get<std::string>();
      if (!text) continue;
      ++num_values;
      if (written_path(*text).path != own_path(layer, i)) out.push_back(i);
    }
    return out;
  }

  void check(int column, const std::string& name) {
    // A value of the first rows that is no path of its sample decides most columns.
    if (!may_be_paths(column)) return;
    const auto values = values_of(survey_, layer_, column);
    std::size_t num_values = 0;
    const auto wrong = others(layer_, values, num_values);
    if (wrong.empty()) return;
    const bool is_mostly_own =
        static_cast<double>(num_values - wrong.size()) >= kOwnPart * static_cast<double>(num_values);
    if (!is_mostly_own && !is_path_elsewhere(column)) return;
    std::map<std::string, std::vector<std::size_t>> kinds;
    for (const std::size_t i : wrong) kinds[kind_of(i, written_path(*values[i].get<std::string>()).path)].push_back(i);
    for (const auto& [kind, rows] : kinds) tell(name, values, kind, rows);
  }

  /// Whether the first value, of the group of the first row, begins with the id of its sample; true where all are null.
  bool may_be_paths(int column) const {
    const auto& table = survey_.container->stored_level(layer_.level);
    const int group = table->group_of(layer_.rows[0]);
    const auto values = table->decode(column, group);
    for (std::size_t i = 0; i < layer_.size() && table->group_of(layer_.rows[i]) == group; ++i) {
      const Value value = read_value(*values, layer_.rows[i] - table->group_begin(group));
      if (const auto* text = value.get<std::string>()) return written_path(*text).path.starts_with(root_of(layer_, i));
    }
    return true;
  }

  /// Whether the column has the paths of their files in another layer of the level.
  bool is_path_elsewhere(int column) const {
    for (const Layer& layer : survey_.layers) {
      if (layer.level != layer_.level || &layer == &layer_) continue;
      std::size_t num_values = 0;
      const auto values = values_of(survey_, layer, column);
      const auto wrong = others(layer, values, num_values);
      if (num_values > 0 &&
          static_cast<double>(num_values - wrong.size()) >= kOwnPart * static_cast<double>(num_values))
        return true;
    }
    return false;
  }

  /// What a path names, in words that follow "name".
  std::string kind_of(std::size_t index, const std::string& path) const {
    const std::string own = own_path(layer_, index), root = root_of(layer_, index);
    if (own.starts_with(path + "/")) return "the FOLDER of their file";
    const std::string below = path.starts_with(root + "/") ? path.substr(root.size() + 1) : std::string();
    const auto other = std::ranges::find_if(survey_.layers, [&](const Layer& layer) {
      return !below.empty() && layer.name == below && layer.type == SampleType::File;
    });
    if (other == survey_.layers.end())
      return below.empty() ? "a file of another sample, or none" : "no file of their sample";
    const auto there = std::ranges::lower_bound(other->roots, layer_.roots[index]);
    if (there == other->roots.end() || *there != layer_.roots[index]) return "no file of their sample";
    const AssetFacts& its = other->facts[static_cast<std::size_t>(there - other->roots.begin())];
    const bool is_like =
        layer_.type == SampleType::File && its.size == layer_.facts[index].size && its.kind == layer_.facts[index].kind;
    return std::string(is_like ? "another file of their sample, of the same size and header, "
                               : "another file of their sample, ") +
           in_quotes(below);
  }

  void tell(const std::string& column, const std::vector<Value>& values, const std::string& kind,
            const std::vector<std::size_t>& rows) {
    Finding& finding = out_.emplace_back(Finding{.rule = "AST-26", .layer = number_, .columns = {column}});
    finding.message = part_text(rows.size(), layer_.size()) + " name " + kind + ", such as " +
                      text_of(values[rows[0]]) + " of " + in_quotes(own_path(layer_, rows[0]));
    finding.reason = "the column has the paths of their own files in the other rows";
    finding.confidence = 0.95;
    finding.rows = rows;
    for (const std::size_t i : rows) {
      const auto written = written_path(*values[i].get<std::string>());
      finding.changes.push_back(
          {.index = i, .old_values = {values[i]}, .new_values = {Value(written.prefix + own_path(layer_, i))}});
    }
  }

  const Survey& survey_;
  std::size_t number_;
  const Layer& layer_;
  std::vector<Finding> out_;
};

}  // namespace

std::vector<Finding> path_patterns(const Survey& survey, std::size_t layer) {
  return PathPatterns(survey, layer).all();
}

}  // namespace tacore::assets
