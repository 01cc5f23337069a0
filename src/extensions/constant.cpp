#include "tacore/extensions/constant.hpp"

#include <cmath>

#include "extensions/columns.hpp"
#include "tacore/error.hpp"
#include "tacore/extensions/conventions.hpp"

namespace tacore::extensions {

namespace {

/// Both columns hold float: a number that a float cannot hold, or rounds to zero, is of no use to a reader.
void check_scale(const char* name, double number, bool may_be_zero) {
  const auto stored = static_cast<float>(number);
  if (!std::isfinite(stored)) {
    throw SchemaError(std::string(name) + " is " + std::to_string(number) + ", expected a finite float");
  }
  if (!may_be_zero && stored == 0) throw SchemaError(std::string(name) + " cannot be zero");
}

Value scale_value(const char* name, const PerBand& numbers, bool as_list, bool may_be_zero) {
  if (const auto* one = std::get_if<double>(&numbers)) {
    check_scale(name, *one, may_be_zero);
    return as_list ? Value(Value::List{*one}) : Value(*one);
  }
  if (const auto* many = std::get_if<std::vector<double>>(&numbers)) {
    for (const double number : *many) check_scale(name, number, may_be_zero);
    return list_of(*many);
  }
  return {};
}

std::vector<MetadataField> scaling_columns(const ScalingOptions& in) {
  if (in.padding && in.padding->size() != 4) {
    throw SchemaError("padding has " + std::to_string(in.padding->size()) +
                      " numbers, expected 4: top, right, bottom, left");
  }
  const auto is_list = [](const PerBand& numbers) { return std::holds_alternative<std::vector<double>>(numbers); };
  const bool lists = is_list(in.scale_factor) || is_list(in.scale_offset);
  auto out = make_columns("scaling", {scale_value("scale_factor", in.scale_factor, lists, false),
                                      scale_value("scale_offset", in.scale_offset, lists, true),
                                      in.padding ? list_of(*in.padding) : Value()});
  if (lists) out[0].type = out[1].type = "list<item: float>";
  return out;
}

std::vector<MetadataField> labels_columns(const std::vector<LabelClass>& label_classes,
                                          const std::optional<std::string>& description) {
  Value::List classes;
  for (const LabelClass& each : label_classes) {
    const auto* number = std::get_if<int64_t>(&each.category);
    classes.push_back(Struct{{"name", each.name},
                             {"category", number ? std::to_string(*number) : std::get<std::string>(each.category)},
                             {"description", value_of(each.description)}});
  }
  const auto count = static_cast<int64_t>(classes.size());
  return make_columns("labels", {std::move(classes), value_of(description), count});
}

Value publications_value(const std::vector<Publication>& publications) {
  Value::List out;
  for (const Publication& each : publications) {
    out.push_back(Struct{{"doi", each.doi}, {"citation", each.citation}, {"summary", value_of(each.summary)}});
  }
  return out;
}

}  // namespace

Split::Split(const std::string& split) : SampleColumns(make_columns("split", {split})) {}

SplitStrategy::SplitStrategy(const std::string& strategy) : TacoColumns(make_columns("split_strategy", {strategy})) {}

Scaling::Scaling(const ScalingOptions& options) : SampleColumns(scaling_columns(options)) {}

Labels::Labels(const std::vector<LabelClass>& label_classes, const std::optional<std::string>& label_description)
    : TacoColumns(labels_columns(label_classes, label_description)) {}

Publications::Publications(const std::vector<Publication>& publications)
    : TacoColumns(make_columns("publications", {publications_value(publications)})) {}

RaiStatement::RaiStatement(const RaiStatementOptions& in)
    : TacoColumns(make_columns(
          "rai_statement",
          {value_of(in.data_collection), value_of(in.data_collection_type), value_of(in.data_collection_timeframe),
           value_of(in.data_limitations), value_of(in.data_biases), value_of(in.personal_sensitive_information),
           value_of(in.use_cases), value_of(in.data_preprocessing_protocol), value_of(in.data_annotation_protocol),
           value_of(in.annotation_platform), value_of(in.data_release_maintenance_plan)})) {}

LandCover::LandCover(const LandCoverOptions& in)
    : SampleColumns(make_columns("land_cover", {in.fractions ? list_of(*in.fractions) : Value()})) {}

Change::Change(const ChangeOptions& in) : SampleColumns(make_columns("change", {in.time_before, in.time_after})) {}

Methane::Methane(const MethaneOptions& in)
    : SampleColumns(
          make_columns("methane", {in.isplume, value_of(in.ch4_fluxrate), value_of(in.ch4_fluxrate_std),
                                   value_of(in.wind_u), value_of(in.wind_v), value_of(in.wind_source),
                                   value_of(in.sector), value_of(in.offshore), value_of(in.plume_geometry)})) {}

Flood::Flood(const FloodOptions& in)
    : SampleColumns(
          make_columns("flood", {in.event_id, value_of(in.event_time), value_of(in.source), value_of(in.water_fraction),
                                 value_of(in.permanent_water_fraction), value_of(in.cloud_fraction)})) {}

Labels flood_labels() {
  return Labels({{.name = "invalid", .category = 0},
                 {.name = "land", .category = 1},
                 {.name = "water", .category = 2},
                 {.name = "cloud", .category = 3}},
                "Flood mask");
}

}  // namespace tacore::extensions
