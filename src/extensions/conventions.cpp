#include "tacore/extensions/conventions.hpp"

#include <algorithm>

#include "extensions/convention_rules.hpp"
#include "tacore/sample.hpp"

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

}  // namespace tacore::extensions
