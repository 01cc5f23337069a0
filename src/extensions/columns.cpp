#include "extensions/columns.hpp"

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "model/wkb.hpp"
#include "tacore/error.hpp"
#include "tacore/extensions/constant.hpp"

namespace tacore::extensions {

namespace {

constexpr Column kColumns[] = {
#include "extensions/columns.inc"
};

constexpr std::string_view kOfCollection[] = {"labels", "optical_data", "publications", "split_strategy",
                                              "rai_statement"};

/// Fractions are counted, then rounded.
constexpr double kRounding = 1e-6;

bool is_fraction(const Value& value) {
  const auto* number = value.get<double>();
  return number && *number >= 0 && *number <= 1;
}

bool is_wkb(const std::string& bytes) {
  try {
    return wkb_envelope(std::as_bytes(std::span(bytes))).has_value();
  } catch (const FormatError&) {
    return false;
  }
}

std::string fault_in_fractions(const Value::List& fractions) {
  double sum = 0;
  for (const Value& each : fractions) {
    if (!is_fraction(each)) return "a list with a number outside 0 to 1";
    sum += *each.get<double>();
  }
  return std::abs(sum - 1) > kRounding ? "a list whose sum is " + std::to_string(sum) + ", expected 1" : "";
}

std::string one_of(const Column& column) { return "one of " + join(split(column.words, '|'), ", "); }

std::string fault_in_word(const Column& column, const Value& value) {
  const auto* word = value.get<std::string>();
  if (!word) return "not text, expected " + one_of(column);
  const auto words = split(column.words, '|');
  const bool is_known = std::find(words.begin(), words.end(), *word) != words.end();
  return is_known ? "" : in_quotes(*word) + ", expected " + one_of(column);
}

std::string allowed_by(const Column& column) {
  switch (column.check) {
    case Check::None: return "";
    case Check::NotNull: return "not null";
    case Check::NotEmpty: return "not empty";
    case Check::Finite: return "finite";
    case Check::NotNegative: return "at least 0";
    case Check::Fraction: return "0 to 1";
    case Check::Fractions: return "0 to 1 each, 1 in sum";
    case Check::Geometry: return "WKB, not empty";
    case Check::OneOf: return one_of(column);
  }
  return "";
}

}  // namespace

std::span<const Column> columns_of(std::string_view extension) {
  const auto is_it = [&](const Column& column) { return column.extension == extension; };
  const auto* first = std::find_if(std::begin(kColumns), std::end(kColumns), is_it);
  if (first == std::end(kColumns)) throw SchemaError("there is no built-in extension " + in_quotes(extension));
  return {first, std::find_if_not(first, std::end(kColumns), is_it)};
}

std::vector<FieldDescription> schema_of(std::string_view extension) {
  std::vector<FieldDescription> out;
  for (const Column& column : columns_of(extension)) out.push_back({column.name, column.type, column.description});
  return out;
}

std::string fault_in(const Column& column, const Value& value) {
  const auto* number = value.get<double>();
  switch (column.check) {
    case Check::None: return {};
    case Check::NotNull: return value.is_null() ? "null, expected a value" : "";
    case Check::NotEmpty: return value.get<std::string>() && !value.get<std::string>()->empty() ? "" : "empty";
    case Check::Finite: return number && !std::isfinite(*number) ? "not finite" : "";
    case Check::NotNegative:
      return number && !(std::isfinite(*number) && *number >= 0) ? std::to_string(*number) + ", expected at least 0"
                                                                 : "";
    case Check::Fraction: return number && !is_fraction(value) ? std::to_string(*number) + ", expected 0 to 1" : "";
    case Check::Fractions: return value.get<Value::List>() ? fault_in_fractions(*value.get<Value::List>()) : "";
    case Check::Geometry:
      return value.get<Binary>() && !is_wkb(value.get<Binary>()->bytes) ? "not WKB, or an empty geometry" : "";
    case Check::OneOf: return fault_in_word(column, value);
  }
  return {};
}

std::string fault_among(std::string_view extension, std::span<const Value* const> values) {
  if (extension == "rai_statement") {
    const bool empty = std::all_of(values.begin(), values.end(), [](const Value* value) { return value->is_null(); });
    return empty ? "RaiStatement: none of its fields is set, expected at least one" : "";
  }
  if (extension != "change") return {};
  const auto* before = values[0]->get<Timestamp>();
  const auto* after = values[1]->get<Timestamp>();
  if (!before || !after || *before < *after) return {};
  return "change:time_before (" + before->to_string() + ") is not before change:time_after (" + after->to_string() +
         ")";
}

std::vector<std::string> extension_names() {
  std::vector<std::string> out;
  for (const Column& column : kColumns) {
    if (out.empty() || out.back() != column.extension) out.emplace_back(column.extension);
  }
  return out;
}

bool extends_collection(std::string_view name) {
  columns_of(name);  // throws for an unknown name
  return std::find(std::begin(kOfCollection), std::end(kOfCollection), name) != std::end(kOfCollection);
}

std::vector<ExtensionColumn> extension_columns(std::string_view name) {
  std::vector<ExtensionColumn> out;
  for (const Column& column : columns_of(name))
    out.push_back({{column.name, column.type, column.description}, allowed_by(column)});
  return out;
}

std::vector<MetadataField> make_columns(std::string_view name, std::vector<Value> values) {
  const auto columns = columns_of(name);
  if (values.size() != columns.size()) {
    throw SchemaError("extension " + std::string(name) + " has " + std::to_string(columns.size()) +
                      " columns, found values for " + std::to_string(values.size()));
  }
  std::vector<const Value*> pointers;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string fault = fault_in(columns[i], values[i]);
    if (!fault.empty()) throw SchemaError(std::string(columns[i].name) + " is " + fault);
    pointers.push_back(&values[i]);
  }
  if (const std::string fault = fault_among(name, pointers); !fault.empty()) throw SchemaError(fault);
  std::vector<MetadataField> out;
  for (std::size_t i = 0; i < columns.size(); ++i)
    out.push_back({columns[i].name, std::move(values[i]), columns[i].type, columns[i].description});
  return out;
}

}  // namespace tacore::extensions
