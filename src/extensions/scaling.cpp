#include "tacore/extensions/scaling.hpp"

#include <cmath>
#include <string>

#include "tacore/error.hpp"

namespace tacore::extensions {

namespace {

/// Both columns hold float: what it cannot hold, or takes for zero, is no use to a reader.
void check(const char* name, double number, bool may_be_zero) {
  const auto stored = static_cast<float>(number);
  if (!std::isfinite(stored)) {
    throw SchemaError(std::string(name) + " is " + std::to_string(number) + ", expected a finite float");
  }
  if (!may_be_zero && stored == 0) throw SchemaError(std::string(name) + " cannot be zero");
}

Value value_of(const char* name, const PerBand& numbers, bool as_list, bool may_be_zero) {
  if (const auto* one = std::get_if<double>(&numbers)) {
    check(name, *one, may_be_zero);
    return as_list ? Value(Value::List{*one}) : Value(*one);
  }
  if (const auto* many = std::get_if<std::vector<double>>(&numbers)) {
    for (const double number : *many) check(name, number, may_be_zero);
    return Value::List(many->begin(), many->end());
  }
  return {};
}

bool is_list(const PerBand& numbers) { return std::holds_alternative<std::vector<double>>(numbers); }

}  // namespace

Scaling::Scaling(const ScalingOptions& in) : lists_(is_list(in.scale_factor) || is_list(in.scale_offset)) {
  if (in.padding && in.padding->size() != 4) {
    throw SchemaError("padding has " + std::to_string(in.padding->size()) +
                      " numbers, expected 4: top, right, bottom, left");
  }
  values_ = {value_of("scale_factor", in.scale_factor, lists_, false),
             value_of("scale_offset", in.scale_offset, lists_, true),
             in.padding ? Value(Value::List(in.padding->begin(), in.padding->end())) : Value()};
}

std::vector<FieldDescription> Scaling::schema() const {
  const char* type = lists_ ? "list<item: float>" : "float";
  return {{"scaling:scale_factor", type, "Physical value = stored value * scale_factor + scale_offset"},
          {"scaling:scale_offset", type, "See scaling:scale_factor"},
          {"scaling:padding", "list<item: int32>", "Pixels of padding: top, right, bottom, left"}};
}

std::vector<Value> Scaling::compute(const Sample&) const { return values_; }

}  // namespace tacore::extensions
