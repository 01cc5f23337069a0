#include <algorithm>

#include "base/text.hpp"
#include "extensions/columns.hpp"
#include "model/json_node.hpp"
#include "tacore/error.hpp"
#include "tacore/extensions/constant.hpp"
#include "tacore/extensions/optical_data.hpp"

namespace tacore::extensions {
namespace {

constexpr std::string_view kList = "list<item: ", kStruct = "struct<", kOr = " or ";

/// The fields of "struct<name: string, index: int32>", of types without commas.
std::vector<FieldDescription> fields_of(std::string_view type) {
  std::vector<FieldDescription> out;
  for (const auto& field : split(type.substr(kStruct.size(), type.size() - kStruct.size() - 1), ',')) {
    const std::string_view text = trimmed(field);
    const auto colon = text.find(": ");
    out.push_back({std::string(text.substr(0, colon)), std::string(text.substr(colon + 2))});
  }
  return out;
}

std::string names_of(const std::vector<FieldDescription>& fields) {
  std::vector<std::string> names;
  for (const auto& field : fields) names.push_back(field.name);
  return join(names, ", ");
}

Value json_value(const JsonNode& node, std::string_view type);

/// The members of a JSON object in the order of `fields`; the outermost object has the parameters as its members.
std::vector<Value> members_of(const JsonNode& object, const std::vector<FieldDescription>& fields,
                              bool is_outermost = false) {
  for (const auto& [key, value] : object.object().value().items()) {
    const bool is_known = std::any_of(fields.begin(), fields.end(), [k = &key](const auto& f) { return f.name == *k; });
    if (is_known) continue;
    const std::string what = tacore::in_quotes(key) + ", expected " + names_of(fields);
    if (is_outermost) throw SchemaError("unknown parameter " + what);
    object.fail("has the unknown member " + what);
  }
  std::vector<Value> out;
  for (const auto& field : fields) out.push_back(json_value(object[field.name], field.type));
  return out;
}

Value struct_of(const JsonNode& node, std::string_view type) {
  const auto fields = fields_of(type);
  auto values = members_of(node, fields);
  Struct out;
  for (std::size_t i = 0; i < fields.size(); ++i) out.emplace_back(fields[i].name, std::move(values[i]));
  return out;
}

Value json_value(const JsonNode& node, std::string_view type) {
  if (node.is_null()) return {};
  const auto& json = node.value();
  if (const auto at = type.find(kOr); at != type.npos)
    return json_value(node, json.is_array() ? type.substr(at + kOr.size()) : type.substr(0, at));
  if (type.starts_with(kStruct)) return struct_of(node, type);
  if (type.starts_with(kList)) {
    if (!json.is_array()) node.wrong("an array");
    Value::List out;
    for (const auto& item : node.elements())
      out.push_back(json_value(item, type.substr(kList.size(), type.size() - kList.size() - 1)));
    return out;
  }
  if (type == "bool") {
    if (!json.is_boolean()) node.wrong("true or false");
    return json.get<bool>();
  }
  if (type == "float" || type == "double") return node.number();
  if (type == "int32" || type == "int64") {
    if (!json.is_number_integer()) node.wrong("a whole number");
    return json.get<int64_t>();
  }
  if (type == "timestamp[us]") return Timestamp::parse(node.text());
  return json.is_number_integer() ? json.dump() : node.text();
}

/// Text that is no JSON object or array, as JSON of a type.
nlohmann::json scalar_of(const std::string& text, const FieldDescription& parameter) {
  if (parameter.type == "string" || parameter.type == "timestamp[us]") return text;
  const auto json = nlohmann::json::parse(text, nullptr, false);
  return json.is_discarded() ? nlohmann::json(text) : json;
}

std::vector<FieldDescription> named_columns(std::string_view name) {
  auto out = schema_of(name);
  for (auto& column : out) {
    column.name = column.name.substr(column.name.rfind(':') + 1);
    if (name == "scaling" && column.type == "float") column.type = "float or list<item: float>";
  }
  return out;
}

bool is_parameter(const FieldDescription& column) {
  return column.type != "binary" && !column.name.starts_with("num_");
}

template <class Extension>
std::vector<MetadataField> columns_of_extension(const Extension& extension) {
  const auto schema = extension.schema();
  std::vector<MetadataField> out;
  for (std::size_t i = 0; i < schema.size(); ++i)
    out.push_back({schema[i].name, extension.values()[i], schema[i].type, schema[i].description});
  return out;
}

PerBand per_band(const Value& value) {
  if (const auto* number = value.get<double>()) return *number;
  const auto* list = value.get<Value::List>();
  if (!list) return {};
  std::vector<double> out;
  for (const Value& each : *list) {
    if (!each.get<double>()) throw SchemaError("a factor or offset of a band is null, expected a number");
    out.push_back(*each.get<double>());
  }
  return out;
}

std::optional<std::vector<int32_t>> padding_of(const Value& value) {
  const auto* list = value.get<Value::List>();
  if (!list) return {};
  std::vector<int32_t> out;
  for (const Value& each : *list) {
    const auto* number = each.get<int64_t>();
    if (!number || *number < 0 || *number > INT32_MAX)
      throw SchemaError("padding has a number that is not from 0 to 2147483647");
    out.push_back(static_cast<int32_t>(*number));
  }
  return out;
}

std::vector<LabelClass> label_classes(const Value& value) {
  std::vector<LabelClass> out;
  const auto* list = value.get<Value::List>();
  if (!list) throw SchemaError("classes is missing, expected a list of {name, category, description}");
  for (const Value& each : *list) {
    const auto* fields = each.get<Struct>();
    const auto text = [&](std::size_t i) { return fields ? fields->at(i).second.get<std::string>() : nullptr; };
    if (!text(0) || !text(1))
      throw SchemaError("classes[" + std::to_string(out.size()) + "] lacks a name or a category, expected both");
    out.push_back({*text(0), *text(1), text(2) ? std::optional(*text(2)) : std::nullopt});
  }
  return out;
}

OpticalDataOptions optical_options(const Value& sensor, const Value& bands) {
  OpticalDataOptions out{.sensor = sensor.get<std::string>() ? *sensor.get<std::string>() : ""};
  const auto* list = bands.get<Value::List>();
  if (!list) return out;
  for (const Value& each : *list) {
    const auto* fields = each.get<Struct>();
    if (!fields || !fields->at(0).second.get<std::string>())
      throw SchemaError("bands[" + std::to_string(out.bands.size()) + "] has no name");
    const auto text = [&](std::size_t i) {
      const auto* found = fields->at(i).second.get<std::string>();
      return found ? std::optional(*found) : std::nullopt;
    };
    const auto number = [&](std::size_t i) {
      const auto* found = fields->at(i).second.get<double>();
      return found ? std::optional(*found) : std::nullopt;
    };
    const auto* index = fields->at(1).second.get<int64_t>();
    out.bands.push_back({.name = *text(0),
                         .index = index ? std::optional(static_cast<int32_t>(*index)) : std::nullopt,
                         .common_name = text(2),
                         .description = text(3),
                         .unit = text(4),
                         .center_wavelength = number(5),
                         .full_width_half_max = number(6)});
  }
  return out;
}

}  // namespace

std::vector<FieldDescription> extension_parameters(std::string_view name) {
  auto out = named_columns(name);
  std::erase_if(out, [](const auto& column) { return !is_parameter(column); });
  return out;
}

std::vector<Value> parse_values(std::string_view text, const std::vector<FieldDescription>& parameters) {
  const std::string given(trimmed(text));
  const bool is_json = given.starts_with('{') || given.starts_with('[');
  try {
    const nlohmann::json json = is_json ? parse_json(given, "") : scalar_of(given, parameters.at(0));
    if (json.is_object()) return members_of(JsonNode(json, "", ""), parameters, true);
    std::vector<Value> out(parameters.size());
    out[0] = json_value(JsonNode(json, "", parameters[0].name), parameters[0].type);
    return out;
  } catch (const FormatError& error) {
    throw SchemaError(error.what());
  } catch (const QueryError& error) {  // a time
    throw SchemaError(error.what());
  }
}

std::vector<MetadataField> parse_columns(std::string_view name, std::string_view text) {
  const auto parameters = extension_parameters(name);
  auto given = parse_values(text, parameters);
  if (name == "scaling") {
    return columns_of_extension(Scaling(
        {.scale_factor = per_band(given[0]), .scale_offset = per_band(given[1]), .padding = padding_of(given[2])}));
  }
  if (name == "labels") {
    const auto* description = given[1].get<std::string>();
    return columns_of_extension(
        Labels(label_classes(given[0]), description ? std::optional(*description) : std::nullopt));
  }
  if (name == "optical_data") return columns_of_extension(OpticalData(optical_options(given[0], given[1])));
  std::vector<Value> values;
  std::size_t next = 0;
  for (const auto& column : named_columns(name))
    values.push_back(is_parameter(column) ? std::move(given[next++]) : Value());
  return make_columns(name, std::move(values));
}

}  // namespace tacore::extensions
