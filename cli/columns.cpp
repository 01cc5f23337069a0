#include <algorithm>
#include <string>
#include <vector>

#include <tacore/dataset.hpp>

#include "commands.hpp"
#include "json.hpp"
#include "layout.hpp"
#include "output.hpp"
#include "utf8.hpp"

namespace tacore::cli {
namespace {

/// The description of a column in COLLECTION.json; "" if there is none.
std::string description_of(const Dataset& dataset, int level, const std::string& name) {
  const auto& schema = dataset.field_schema();
  const auto fields = schema.find("level" + std::to_string(level));
  if (fields == schema.end()) return "";
  const auto field = std::ranges::find(fields->second, name, &FieldDescription::name);
  return field == fields->second.end() ? "" : field->description;
}

}  // namespace

int run_columns(const ColumnsOptions& options) {
  const Dataset dataset = load(options.path, options.load);
  std::vector<std::string> objects;
  std::vector<std::vector<std::string>> rows{{"level", "column", "type", "description"}};
  for (int level = 0; level <= dataset.pit_schema().max_depth(); ++level) {
    for (const Column& column : dataset.level_columns(level)) {
      const std::string description = description_of(dataset, level, column.name);
      objects.push_back(json_object({{"level", std::to_string(level)},
                                     {"name", json_string(column.name)},
                                     {"type", json_string(column.type)},
                                     {"description", json_string(description)}}));
      rows.push_back({std::to_string(level), printable(column.name), printable(column.type), printable(description)});
    }
  }
  print(options.json ? json_array(objects) + "\n" : left_aligned(rows));
  return 0;
}

}  // namespace tacore::cli
