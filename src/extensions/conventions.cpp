#include "tacore/extensions/conventions.hpp"

#include <algorithm>

#include "extensions/convention_rules.hpp"
#include "model/json_text.hpp"
#include "tacore/write/create.hpp"

namespace tacore::extensions {

std::vector<std::string> check_convention(Convention convention, const Tortilla& tortilla) {
  DatasetShape shape = {.samples = tortilla.ids(), .fields = tortilla.fields()};
  for (const FieldDescription& wanted : convention_schema(convention)) {
    const auto has = std::any_of(shape.fields.begin(), shape.fields.end(),
                                 [&](const FieldDescription& field) { return field.name == wanted.name; });
    if (has) shape.columns[wanted.name] = tortilla.column(wanted.name);
  }
  for (int level = 1; level <= tortilla.depth(); ++level) shape.child_ids.push_back(tortilla.ids(level));
  return faults_of(convention, shape);
}

std::vector<std::string> check_convention(Convention convention, const Taco& taco) {
  auto out = check_convention(convention, taco.tortilla);
  const bool has_classes = convention == Convention::LandCover || convention == Convention::Flood;
  const auto members = json_members(taco.collection.json);
  const auto is_classes = [](const JsonMember& member) { return member.key == "\"labels:classes\""; };
  if (has_classes && std::none_of(members.begin(), members.end(), is_classes)) {
    out.emplace_back("the collection has no labels:classes; Labels gives them");
  }
  return out;
}

}  // namespace tacore::extensions
