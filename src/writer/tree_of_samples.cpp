#include <algorithm>

#include "base/log.hpp"
#include "base/text.hpp"
#include "format/names.hpp"
#include "model/identifier.hpp"
#include "table/metadata_columns.hpp"
#include "table/stack_tables.hpp"
#include "tacore/error.hpp"
#include "writer/tortilla_impl.hpp"
#include "writer/tree_sources.hpp"

namespace tacore {
namespace {

void add_descriptions(const std::map<std::string, std::string>& from, TreeLevel& to) {
  to.descriptions.insert(from.begin(), from.end());
}

TreeLevel root_level(const std::vector<Sample>& samples, bool strict) {
  TreeLevel out;
  std::vector<const std::vector<MetadataField>*> metadata;
  std::vector<bool> padding;
  for (const auto& sample : samples) {
    out.ids.push_back(sample.id());
    out.types.push_back(sample.type());
    out.payloads.push_back(sample.content()->file.value_or(Payload()));
    metadata.push_back(&sample.metadata());
    padding.push_back(is_padding_id(sample.id()));
    for (const auto& field : sample.metadata()) {
      if (!field.description.empty()) out.descriptions.emplace(field.key, field.description);
    }
  }
  out.columns = metadata_table(metadata, out.ids, padding, strict);
  return out;
}

/// The trees of the FOLDERs among `samples`, and their rows.
struct Child {
  const Tree* tree;
  const std::string* id;
  int64_t parent;
};

/// The metadata of one level of all children. `strict`: all must have the same fields (PIT-2).
std::shared_ptr<arrow::Table> stack(const std::vector<Child>& children, std::size_t level, bool strict) {
  std::vector<TablePart> parts;
  const Child* first = nullptr;
  for (const auto& child : children) {
    if (level >= child.tree->levels.size()) continue;
    const auto& here = child.tree->levels[level];
    const bool padding =
        std::all_of(here.ids.begin(), here.ids.end(), [](const auto& id) { return is_padding_id(id); });
    parts.push_back({here.columns, static_cast<int64_t>(here.ids.size())});
    if (!strict || padding) continue;
    if (!first) {
      first = &child;
      continue;
    }
    const auto difference = schema_difference(first->tree->levels[level].columns, here.columns);
    if (difference.empty()) continue;
    throw SchemaError("PIT violation: level " + std::to_string(level + 1) + " below " + in_quotes(*child.id) + " " +
                      difference + ", as below " + in_quotes(*first->id) + "; samples of a level have the same fields");
  }
  return stack_tables(parts);
}

/// One level of all children, in sequence. `rows` holds the first row of each FOLDER's children in the level above, and
/// afterwards that in this level.
TreeLevel level_below(const std::vector<Child>& children, std::size_t level, std::vector<int64_t>& rows, bool strict) {
  TreeLevel out;
  for (std::size_t c = 0; c < children.size(); ++c) {
    const auto& [tree, id, parent] = children[c];
    if (level >= tree->levels.size()) continue;
    const auto& here = tree->levels[level];
    const auto begin = static_cast<int64_t>(out.ids.size());
    out.ids.insert(out.ids.end(), here.ids.begin(), here.ids.end());
    out.types.insert(out.types.end(), here.types.begin(), here.types.end());
    out.payloads.insert(out.payloads.end(), here.payloads.begin(), here.payloads.end());
    if (level == 0) {
      out.parents.insert(out.parents.end(), here.ids.size(), parent);
    } else {
      for (const int64_t above : here.parents) out.parents.push_back(rows[c] + above);
    }
    rows[c] = begin;
    add_descriptions(here.descriptions, out);
  }
  out.columns = stack(children, level, strict);
  return out;
}

void check_ids(const std::vector<std::string>& ids) {
  std::map<std::string_view, int64_t> counts;
  for (const auto& id : ids) ++counts[id];
  std::vector<std::string> twins;
  for (const auto& [id, count] : counts) {
    if (count > 1) twins.push_back(in_quotes(std::string(id)) + " (" + std::to_string(count) + " times)");
  }
  if (twins.empty()) return;
  const auto num_twins = twins.size();
  twins.resize(std::min<std::size_t>(num_twins, 10));
  throw SchemaError("duplicate ids: " + join(twins, ", ") +
                    (num_twins > twins.size() ? " and " + std::to_string(num_twins - twins.size()) + " more" : ""));
}

/// Readers list FOLDERs first.
void warn_about_order(const TreeLevel& level) {
  const auto file = std::find(level.types.begin(), level.types.end(), SampleType::File);
  const auto folder = std::find(file, level.types.end(), SampleType::Folder);
  if (folder == level.types.end()) return;
  const auto id = [&](auto at) { return in_quotes(level.ids[static_cast<std::size_t>(at - level.types.begin())]); };
  log::warning("FILE " + id(file) + " precedes FOLDER " + id(folder) + "; FOLDERs usually come first");
}

}  // namespace

Tree tree_of_samples(const std::vector<Sample>& samples, bool strict) {
  Tree out;
  if (samples.empty()) throw SchemaError("no samples; at least one expected");
  out.levels.push_back(root_level(samples, strict));
  check_ids(out.levels[0].ids);
  warn_about_order(out.levels[0]);
  std::vector<Child> children;
  std::size_t depth = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const auto& below = samples[i].content()->children;
    if (!below) continue;
    children.push_back({&impl_of(*below)->tree, &samples[i].id(), static_cast<int64_t>(i)});
    depth = std::max(depth, children.back().tree->levels.size());
  }
  std::vector<int64_t> rows(children.size());
  for (std::size_t level = 0; level < depth; ++level) out.levels.push_back(level_below(children, level, rows, strict));
  return out;
}

}  // namespace tacore
