#include "tacore/extensions/publications.hpp"

#include "extensions/value_of.hpp"

namespace tacore::extensions {

Publications::Publications(std::vector<Publication> publications) : publications_(std::move(publications)) {}

std::vector<FieldDescription> Publications::schema() const {
  return {{"publications", "list<item: struct<doi: string, citation: string, summary: string>>",
           "Works that describe the dataset"}};
}

std::vector<Value> Publications::values() const {
  Value::List out;
  for (const Publication& each : publications_) {
    out.push_back(Struct{{"doi", each.doi}, {"citation", each.citation}, {"summary", value_of(each.summary)}});
  }
  return {Value(std::move(out))};
}

std::vector<Value> Publications::compute(const Taco&) const { return values(); }

}  // namespace tacore::extensions
