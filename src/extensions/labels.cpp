#include "tacore/extensions/labels.hpp"

#include "extensions/value_of.hpp"

namespace tacore::extensions {

Labels::Labels(std::vector<LabelClass> label_classes, std::optional<std::string> label_description)
    : classes_(std::move(label_classes)), description_(std::move(label_description)) {}

std::vector<FieldDescription> Labels::schema() const {
  return {{"labels:classes", "list<item: struct<name: string, category: string, description: string>>",
           "Classes of the labels"},
          {"labels:description", "string", "What the labels are about"},
          {"labels:num_classes", "int32", "Number of classes"}};
}

std::vector<Value> Labels::values() const {
  Value::List classes;
  for (const LabelClass& each : classes_) {
    const auto* number = std::get_if<int64_t>(&each.category);
    classes.push_back(Struct{{"name", each.name},
                             {"category", number ? std::to_string(*number) : std::get<std::string>(each.category)},
                             {"description", value_of(each.description)}});
  }
  const auto count = static_cast<int64_t>(classes.size());
  return {std::move(classes), value_of(description_), count};
}

std::vector<Value> Labels::compute(const Taco&) const { return values(); }

}  // namespace tacore::extensions
