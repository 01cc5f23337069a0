#include "tacore/write/sample.hpp"

#include <algorithm>
#include <iterator>

#include "base/text.hpp"
#include "io/vsi_path.hpp"
#include "model/identifier.hpp"
#include "table/metadata_columns.hpp"
#include "tacore/error.hpp"
#include "writer/payload_reader.hpp"
#include "writer/tortilla_impl.hpp"
#include "writer/tree_sources.hpp"

namespace tacore {
namespace {

void check_keys(const std::vector<MetadataField>& fields, const std::string& id) {
  for (const auto& field : fields) {
    if (const auto why = why_bad_key(field.key); !why.empty()) {
      throw SchemaError("sample " + in_quotes(id) + ": key " + in_quotes(field.key) + " " + why);
    }
  }
}

template <class T>
bool all_are(const Value& list) {
  const auto* items = list.get<Value::List>();
  return items && std::all_of(items->begin(), items->end(), [](const Value& item) { return item.get<T>(); });
}

/// True when a value is already of the stated type, as the values of most extensions are.
bool is_of_type(const Value& value, std::string_view type) {
  if (type == "string") return value.is_null() || (value.get<std::string>() && is_utf8(*value.get<std::string>()));
  if (type == "timestamp[us]") return value.is_null() || value.get<Timestamp>();
  if (type == "binary") return value.is_null() || value.get<Binary>();
  if (type == "int64") return value.is_null() || value.get<int64_t>();
  if (type == "double") return value.is_null() || value.get<double>();
  if (type == "list<item: int64>") return all_are<int64_t>(value);
  return type == "list<item: double>" && all_are<double>(value);
}

/// Numbers and text need no check against their own type: a million samples have little else.
bool needs_check(const MetadataField& field) {
  if (!field.type.empty()) return !is_of_type(field.value, field.type);
  if (const auto* text = field.value.get<std::string>()) return !is_utf8(*text);
  return !field.value.is_null() && !field.value.get<bool>() && !field.value.get<int64_t>() &&
         !field.value.get<double>();
}

std::shared_ptr<const Sample::Content> content_of(const std::string& path) {
  return std::make_shared<const Sample::Content>(Sample::Content{.file = payload_of(to_vsi(path))});
}

std::shared_ptr<const Sample::Content> content_of(Bytes bytes, const std::string& temp_dir) {
  return std::make_shared<const Sample::Content>(Sample::Content{.file = payload_of(std::move(bytes), temp_dir)});
}

}  // namespace

Sample::Sample(std::string id, std::shared_ptr<const Content> content, std::vector<MetadataField> metadata)
    : id_(std::move(id)), content_(std::move(content)) {
  if (const auto why = why_bad_id(id_); !why.empty()) throw SchemaError("sample " + in_quotes(id_) + ": its id " + why);
  extend_with(std::move(metadata));
}

Sample::Sample(std::string id, const std::string& path, std::vector<MetadataField> metadata)
    : Sample(std::move(id), content_of(path), std::move(metadata)) {}

Sample::Sample(std::string id, Bytes bytes, std::vector<MetadataField> metadata, const std::string& temp_dir)
    : Sample(std::move(id), content_of(std::move(bytes), temp_dir), std::move(metadata)) {}

Sample::Sample(std::string id, Tortilla children, std::vector<MetadataField> metadata)
    : Sample(std::move(id), std::make_shared<const Content>(Content{.children = std::move(children)}),
             std::move(metadata)) {}

SampleType Sample::type() const noexcept { return content_->children ? SampleType::Folder : SampleType::File; }

const std::string& Sample::path() const noexcept {
  static const std::string none;
  return content_->file ? content_->file->path : none;
}

std::string Sample::vsi_path() const {
  if (!content_->file || content_->file->path.empty()) return "";
  const Payload& file = *content_->file;
  return file.part ? vsi_subfile({file.offset, file.size}, file.path) : file.path;
}

Bytes Sample::read_bytes() const {
  if (!content_->file) throw SchemaError("sample " + in_quotes(id_) + " is a FOLDER, which has no bytes of its own");
  PayloadReader reader(*content_->file);
  Bytes out(size());
  reader.read(out);
  return out;
}

uint64_t Sample::size() const noexcept {
  return content_->file ? content_->file->size : content_->children->num_bytes();
}

void Sample::cleanup() {
  if (content_->file && content_->file->path.empty()) content_ = content_of(Bytes(), "");
}

const Value* Sample::find(std::string_view key) const noexcept {
  const auto found =
      std::find_if(metadata_.begin(), metadata_.end(), [&](const MetadataField& m) { return m.key == key; });
  return found == metadata_.end() ? nullptr : &found->value;
}

void Sample::extend_with(std::vector<MetadataField> metadata) {
  check_keys(metadata, id_);
  std::vector<MetadataField> doubtful;
  std::copy_if(metadata.begin(), metadata.end(), std::back_inserter(doubtful), needs_check);
  // As a table of one row: throws for a value that does not fit its type.
  if (!doubtful.empty()) metadata_table({&doubtful}, {id_}, {false}, true);
  auto all = metadata_;
  for (auto& field : metadata) {
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const MetadataField& known) { return known.key == field.key; });
    if (found != all.end()) {
      *found = std::move(field);
    } else {
      all.push_back(std::move(field));
    }
  }
  metadata_ = std::move(all);
}

void Sample::extend_with(const SampleExtension& extension, bool schema_only) {
  const auto schema = extension.schema();
  const auto values = schema_only ? std::vector<Value>(schema.size()) : extension.compute(*this);
  if (values.size() != schema.size()) {
    throw SchemaError("sample " + in_quotes(id_) + ": an extension gave " + std::to_string(values.size()) +
                      " values for " + std::to_string(schema.size()) + " fields");
  }
  std::vector<MetadataField> fields;
  for (std::size_t i = 0; i < schema.size(); ++i)
    fields.push_back({schema[i].name, values[i], schema[i].type, schema[i].description});
  extend_with(std::move(fields));
}

MetadataField Sample::pop(std::string_view key) {
  const auto found =
      std::find_if(metadata_.begin(), metadata_.end(), [&](const MetadataField& m) { return m.key == key; });
  if (found == metadata_.end()) {
    std::vector<std::string> keys;
    for (const auto& field : metadata_) keys.push_back(field.key);
    throw SchemaError("sample " + in_quotes(id_) + ": " + why_not_popped(key, keys));
  }
  MetadataField out = std::move(*found);
  metadata_.erase(found);
  return out;
}

void Sample::export_metadata(ArrowArrayStream* out) const { Tortilla({*this}).export_metadata(out); }

}  // namespace tacore
