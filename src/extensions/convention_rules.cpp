#include "extensions/convention_rules.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "base/text.hpp"
#include "extensions/value_of.hpp"
#include "model/wkb.hpp"
#include "tacore/error.hpp"

namespace tacore::extensions {

namespace {

enum class Rule { Any, Needed, NotEmpty, Finite, NotNegative, Fraction, Fractions, Geometry };

struct Column {
  const char* name;
  const char* type;
  Rule rule;
  const char* description;
};

const Column kLandCover[] = {
    {"landcover:fractions", "list<item: double>", Rule::Fractions,
     "Part of the valid pixels in each class, in the order of labels:classes"},
};

const Column kChange[] = {
    {"change:time_before", "timestamp[us]", Rule::Needed, "When imagery/before was acquired, UTC"},
    {"change:time_after", "timestamp[us]", Rule::Needed, "When imagery/after was acquired, UTC"},
};

const Column kMethane[] = {
    {"methane:isplume", "bool", Rule::Needed, "Whether there is a plume"},
    {"methane:ch4_fluxrate", "double", Rule::NotNegative, "Emission of methane, kg/h"},
    {"methane:ch4_fluxrate_std", "double", Rule::NotNegative, "Standard deviation of the emission, kg/h"},
    {"methane:wind_u", "double", Rule::Finite, "Wind to the east, m/s"},
    {"methane:wind_v", "double", Rule::Finite, "Wind to the north, m/s"},
    {"methane:wind_source", "string", Rule::Any, "Where the wind comes from"},
    {"methane:sector", "string", Rule::Any, "Kind of emitter"},
    {"methane:offshore", "bool", Rule::Any, "Whether the emitter is at sea"},
    {"plume:geometry", "binary", Rule::Geometry, "Outline of the plume: WKB"},
};

const Column kFlood[] = {
    {"flood:event_id", "string", Rule::NotEmpty, "Event that the sample shows"},
    {"flood:event_time", "timestamp[us]", Rule::Any, "When the event was, UTC"},
    {"flood:source", "string", Rule::Any, "Where the mask comes from"},
    {"flood:water_fraction", "double", Rule::Fraction, "Part of the pixels that is water"},
    {"flood:permanent_water_fraction", "double", Rule::Fraction, "Part of the pixels that is always water"},
    {"flood:cloud_fraction", "double", Rule::Fraction, "Part of the pixels that is cloud"},
};

std::span<const Column> columns_of(Convention convention) {
  switch (convention) {
    case Convention::LandCover: return kLandCover;
    case Convention::Change: return kChange;
    case Convention::Methane: return kMethane;
    case Convention::Flood: return kFlood;
  }
  return {};
}

/// Ids that each sample must have at a level, level 1 first.
std::vector<std::vector<std::string>> children_of(Convention convention) {
  switch (convention) {
    case Convention::LandCover: return {{"image", "target"}};
    case Convention::Change: return {{"label", "imagery"}, {"before", "after"}};
    case Convention::Methane: return {{"emission", "background", "cloudmask", "ch4", "plume"}};
    case Convention::Flood: return {};
  }
  return {};
}

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

/// What is wrong with a value, "" when nothing is.
std::string fault_in(const Column& column, const Value& value) {
  const auto* number = value.get<double>();
  switch (column.rule) {
    case Rule::Any: return {};
    case Rule::Needed: return value.is_null() ? "null, expected a value" : "";
    case Rule::NotEmpty: return value.get<std::string>() && !value.get<std::string>()->empty() ? "" : "empty";
    case Rule::Finite: return number && !std::isfinite(*number) ? "not finite" : "";
    case Rule::NotNegative:
      return number && !(std::isfinite(*number) && *number >= 0) ? std::to_string(*number) + ", expected at least 0"
                                                                 : "";
    case Rule::Fraction: return number && !is_fraction(value) ? std::to_string(*number) + ", expected 0 to 1" : "";
    case Rule::Fractions: {
      const auto* list = value.get<Value::List>();
      if (!list) return {};
      double sum = 0;
      for (const Value& each : *list) {
        if (!is_fraction(each)) return "a list with a number outside 0 to 1";
        sum += *each.get<double>();
      }
      return std::abs(sum - 1) > kRounding ? "a list whose sum is " + std::to_string(sum) + ", expected 1" : "";
    }
    case Rule::Geometry:
      return value.get<Binary>() && !is_wkb(value.get<Binary>()->bytes) ? "no WKB, or an empty geometry" : "";
  }
  return {};
}

/// What is wrong with the values of one sample together.
std::string fault_among(Convention convention, const std::vector<const Value*>& values) {
  if (convention != Convention::Change) return {};
  const auto* before = values[0]->get<Timestamp>();
  const auto* after = values[1]->get<Timestamp>();
  if (!before || !after || *before < *after) return {};
  return "change:time_before (" + before->to_string() + ") is not before change:time_after (" + after->to_string() +
         ")";
}

void check_fields(std::span<const Column> columns, const DatasetShape& dataset, std::vector<std::string>& faults) {
  for (const Column& column : columns) {
    const auto field = std::find_if(dataset.fields.begin(), dataset.fields.end(),
                                    [&](const FieldDescription& each) { return each.name == column.name; });
    if (field == dataset.fields.end()) {
      faults.push_back("there is no column " + std::string(column.name) + " (" + column.type + ")");
    } else if (field->type != column.type) {
      faults.push_back(std::string(column.name) + " is " + field->type + ", expected " + column.type);
    }
  }
}

void check_values(Convention convention, std::span<const Column> columns, const DatasetShape& dataset,
                  std::vector<std::string>& faults) {
  static const Value null;
  for (std::size_t row = 0; row < dataset.samples.size(); ++row) {
    const std::string sample = "sample " + quoted(dataset.samples[row]) + ": ";
    std::vector<const Value*> values;
    for (const Column& column : columns) {
      const auto at = dataset.columns.find(column.name);
      values.push_back(at == dataset.columns.end() ? &null : &at->second[row]);
      if (at == dataset.columns.end()) continue;
      const std::string fault = fault_in(column, *values.back());
      if (!fault.empty()) faults.push_back(sample + column.name + " is " + fault);
    }
    const std::string fault = fault_among(convention, values);
    if (!fault.empty()) faults.push_back(sample + fault);
  }
}

void check_lengths(const DatasetShape& dataset, std::vector<std::string>& faults) {
  const auto column = dataset.columns.find("landcover:fractions");
  if (column == dataset.columns.end()) return;
  const Value::List* first = nullptr;
  for (std::size_t row = 0; row < column->second.size(); ++row) {
    const auto* list = column->second[row].get<Value::List>();
    if (!first) first = list;
    if (list && list->size() != first->size()) {
      faults.push_back("sample " + quoted(dataset.samples[row]) + ": landcover:fractions has " +
                       std::to_string(list->size()) + " classes, others have " + std::to_string(first->size()));
    }
  }
}

void check_children(Convention convention, const DatasetShape& dataset, std::vector<std::string>& faults) {
  const auto wanted = children_of(convention);
  for (std::size_t level = 0; level < wanted.size(); ++level) {
    const std::vector<std::string> none;
    const auto& ids = level < dataset.child_ids.size() ? dataset.child_ids[level] : none;
    for (const std::string& id : wanted[level]) {
      const auto count = static_cast<std::size_t>(std::count(ids.begin(), ids.end(), id));
      if (count == dataset.samples.size()) continue;
      faults.push_back("level " + std::to_string(level + 1) + ": " + std::to_string(count) + " of " +
                       std::to_string(dataset.samples.size()) + " samples have a child " + id);
    }
  }
}

}  // namespace

std::vector<FieldDescription> convention_schema(Convention convention) {
  std::vector<FieldDescription> out;
  for (const Column& column : columns_of(convention)) out.push_back({column.name, column.type, column.description});
  return out;
}

std::vector<std::string> faults_of(Convention convention, const DatasetShape& dataset) {
  std::vector<std::string> faults;
  const auto columns = columns_of(convention);
  check_fields(columns, dataset, faults);
  check_values(convention, columns, dataset, faults);
  if (convention == Convention::LandCover) check_lengths(dataset, faults);
  check_children(convention, dataset, faults);
  return faults;
}

ConventionColumns::ConventionColumns(Convention convention, std::vector<Value> values)
    : convention_(convention), values_(std::move(values)) {
  const auto columns = columns_of(convention);
  std::vector<const Value*> pointers;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string fault = fault_in(columns[i], values_[i]);
    if (!fault.empty()) throw SchemaError(std::string(columns[i].name) + " is " + fault);
    pointers.push_back(&values_[i]);
  }
  const std::string fault = fault_among(convention, pointers);
  if (!fault.empty()) throw SchemaError(fault);
}

std::vector<FieldDescription> ConventionColumns::schema() const { return convention_schema(convention_); }

std::vector<Value> ConventionColumns::compute(const Sample&) const { return values_; }

LandCover::LandCover(const LandCoverOptions& in)
    : ConventionColumns(Convention::LandCover,
                        {in.fractions ? Value(Value::List(in.fractions->begin(), in.fractions->end())) : Value()}) {}

Change::Change(const ChangeOptions& in) : ConventionColumns(Convention::Change, {in.time_before, in.time_after}) {}

Methane::Methane(const MethaneOptions& in)
    : ConventionColumns(Convention::Methane,
                        {in.isplume, value_of(in.ch4_fluxrate), value_of(in.ch4_fluxrate_std), value_of(in.wind_u),
                         value_of(in.wind_v), value_of(in.wind_source), value_of(in.sector), value_of(in.offshore),
                         value_of(in.plume_geometry)}) {}

Flood::Flood(const FloodOptions& in)
    : ConventionColumns(Convention::Flood,
                        {in.event_id, value_of(in.event_time), value_of(in.source), value_of(in.water_fraction),
                         value_of(in.permanent_water_fraction), value_of(in.cloud_fraction)}) {}

Labels flood_labels() {
  return Labels({{.name = "invalid", .category = 0},
                 {.name = "land", .category = 1},
                 {.name = "water", .category = 2},
                 {.name = "cloud", .category = 3}},
                "Flood mask");
}

}  // namespace tacore::extensions
