#include <algorithm>

#include "base/text.hpp"
#include "format/names.hpp"
#include "io/vsi_path.hpp"
#include "model/identifier.hpp"
#include "table/arrow_stream.hpp"
#include "table/metadata_columns.hpp"
#include "table/read_table.hpp"
#include "table/values.hpp"
#include "tacore/error.hpp"
#include "writer/pad.hpp"
#include "writer/tables.hpp"
#include "writer/tortilla_impl.hpp"
#include "writer/tree_sources.hpp"

namespace tacore {
namespace {

std::shared_ptr<const Tortilla::Impl> make(Tree tree) {
  return std::make_shared<const Tortilla::Impl>(Tortilla::Impl{std::move(tree)});
}

const TreeLevel& level_of(const Tree& tree, int level) {
  if (level < 0) throw SchemaError("level " + std::to_string(level) + " is negative");
  if (level >= static_cast<int>(tree.levels.size())) {
    throw SchemaError("level " + std::to_string(level) + " does not exist: the deepest is " +
                      std::to_string(tree.levels.size() - 1));
  }
  return tree.levels[static_cast<std::size_t>(level)];
}

void check_keys(const std::vector<MetadataColumn>& columns) {
  for (const auto& column : columns) {
    if (const auto why = why_bad_key(column.key); !why.empty())
      throw SchemaError("key " + in_quotes(column.key) + " " + why);
  }
}

Tree tree_of_columns(std::vector<std::string> ids, const std::vector<std::string>& paths) {
  if (ids.size() != paths.size()) {
    throw SchemaError(std::to_string(ids.size()) + " ids and " + std::to_string(paths.size()) +
                      " paths; one for each sample expected");
  }
  Tree out;
  auto& level = out.levels.emplace_back();
  level.types.assign(ids.size(), SampleType::File);
  level.payloads.reserve(paths.size());
  for (const auto& path : paths) level.payloads.push_back(payload_of(to_vsi(path)));
  level.ids = std::move(ids);
  return out;
}

void add_columns(TreeLevel& level, const std::vector<MetadataColumn>& columns) {
  check_keys(columns);
  level.columns = with_columns(level.columns, static_cast<int64_t>(level.ids.size()), columns);
  for (const auto& column : columns) {
    if (!column.description.empty()) level.descriptions[column.key] = column.description;
  }
}

}  // namespace

std::string why_not_popped(std::string_view key, const std::vector<std::string>& keys) {
  for (const auto core : {names::kId, names::kType, names::kPath}) {
    if (key == core) return "field " + in_quotes(std::string(key)) + " is part of every sample and stays";
  }
  return "no field " + in_quotes(std::string(key)) + "; there are: " + join(keys, ", ");
}

Tortilla::Tortilla(std::shared_ptr<const Impl> impl) noexcept : impl_(std::move(impl)) {}

Tortilla::Tortilla(const std::vector<Sample>& samples, bool strict_schema)
    : impl_(make(tree_of_samples(samples, strict_schema))) {}

Tortilla::Tortilla(std::vector<std::string> ids, const std::vector<std::string>& paths,
                   const std::vector<MetadataColumn>& metadata) {
  Tree tree = tree_of_columns(std::move(ids), paths);
  if (!metadata.empty()) add_columns(tree.levels[0], metadata);
  check_tree(tree);
  impl_ = make(std::move(tree));
}

Tortilla Tortilla::from_folder(const std::string& path) { return Tortilla(make(tree_of_folder(path))); }

Tortilla Tortilla::from_table(const std::string& path, const TableOptions& options) {
  return Tortilla(make(tree_of_table(path, options)));
}

Tortilla Tortilla::from_arrow(ArrowArrayStream* rows, const TableOptions& options) {
  const auto table = import_table(rows);
  if (!options.separator.empty()) throw ValidationError("a separator is given, which only .csv and .tsv tables have");
  return Tortilla(make(tree_of_rows(table, options)));
}

Tortilla Tortilla::pad() const { return Tortilla(make(tacore::pad(impl_->tree))); }

Tortilla Tortilla::pad_to(int64_t n) const { return Tortilla(make(tacore::pad_to(impl_->tree, n))); }

int64_t Tortilla::num_samples(int level) const noexcept {
  const auto& levels = impl_->tree.levels;
  if (level < 0 || level >= static_cast<int>(levels.size())) return 0;
  return static_cast<int64_t>(levels[static_cast<std::size_t>(level)].ids.size());
}

int Tortilla::depth() const noexcept { return std::max(0, static_cast<int>(impl_->tree.levels.size()) - 1); }

uint64_t Tortilla::num_bytes() const noexcept { return impl_->tree.num_bytes(); }

std::vector<uint64_t> Tortilla::sizes() const { return impl_->tree.root_sizes(); }

std::vector<std::string> Tortilla::ids(int level) const { return level_of(impl_->tree, level).ids; }

std::vector<SampleType> Tortilla::types(int level) const { return level_of(impl_->tree, level).types; }

Sample Tortilla::sample(int64_t row, int level) const {
  const auto& here = level_of(impl_->tree, level);
  if (row < 0 || row >= static_cast<int64_t>(here.ids.size())) {
    throw SchemaError("row " + std::to_string(row) + " does not exist at level " + std::to_string(level) +
                      ", which has " + std::to_string(here.ids.size()));
  }
  const std::string& id = here.ids[as_size(row)];
  if (here.types[as_size(row)] == SampleType::Folder) {
    throw SchemaError("sample " + in_quotes(id) + " of level " + std::to_string(level) +
                      " is a FOLDER, a FILE expected");
  }
  Sample out(id, std::make_shared<const Sample::Content>(Sample::Content{.file = here.payloads[as_size(row)]}), {});
  if (!here.columns) return out;
  out.metadata_ = fields_of_row(*here.columns, row);  // the table has checked them
  for (auto& field : out.metadata_) {
    if (const auto known = here.descriptions.find(field.key); known != here.descriptions.end())
      field.description = known->second;
  }
  return out;
}

std::vector<FieldDescription> Tortilla::fields(int level) const {
  const auto& here = level_of(impl_->tree, level);
  if (!here.columns) return {};
  auto out = describe_fields(*here.columns);
  for (auto& field : out) {
    if (const auto found = here.descriptions.find(field.name); found != here.descriptions.end())
      field.description = found->second;
  }
  return out;
}

std::vector<Value> Tortilla::column(std::string_view key, int level) const {
  const auto& here = level_of(impl_->tree, level);
  const auto column = here.columns ? column_or_null(*here.columns, key) : nullptr;
  if (column) return read_values(*column);
  const auto keys = here.columns ? column_names(*here.columns) : std::vector<std::string>();
  throw SchemaError("no field " + in_quotes(std::string(key)) + " at level " + std::to_string(level) +
                    "; there are: " + join(keys, ", "));
}

void Tortilla::export_metadata(ArrowArrayStream* out, int deep) const {
  level_of(impl_->tree, deep);
  export_table(exported_table(impl_->tree, deep), out);
}

Tortilla Tortilla::extend_with(const TortillaExtension& extension, bool schema_only) const {
  const auto schema = extension.schema();
  const auto rows = static_cast<std::size_t>(num_samples());
  auto values =
      schema_only ? std::vector<std::vector<Value>>(schema.size(), std::vector<Value>(rows)) : extension.compute(*this);
  if (values.size() != schema.size()) {
    throw SchemaError("an extension gave " + std::to_string(values.size()) + " columns for " +
                      std::to_string(schema.size()) + " fields");
  }
  std::vector<MetadataColumn> columns;
  for (std::size_t c = 0; c < schema.size(); ++c)
    columns.push_back({schema[c].name, std::move(values[c]), schema[c].type, schema[c].description});
  return extend_with(columns);
}

Tortilla Tortilla::extend_with(const std::vector<MetadataColumn>& columns, int level) const {
  level_of(impl_->tree, level);
  Tree tree = impl_->tree;
  add_columns(tree.levels[static_cast<std::size_t>(level)], columns);
  return Tortilla(make(std::move(tree)));
}

Tortilla Tortilla::pop(std::string_view key, int level) const {
  const auto& here = level_of(impl_->tree, level);
  const auto keys = here.columns ? column_names(*here.columns) : std::vector<std::string>();
  if (std::find(keys.begin(), keys.end(), key) == keys.end()) throw SchemaError(why_not_popped(key, keys));
  Tree tree = impl_->tree;
  auto& changed = tree.levels[static_cast<std::size_t>(level)];
  changed.columns = keys.size() == 1 ? nullptr : without_column(changed.columns, key);
  changed.descriptions.erase(std::string(key));
  return Tortilla(make(std::move(tree)));
}

}  // namespace tacore
