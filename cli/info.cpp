#include <string>
#include <vector>

#include <tacore/dataset.hpp>
#include <tacore/ops/site.hpp>
#include <tacore/v1/collection.hpp>

#include "commands.hpp"
#include "extent_text.hpp"
#include "info_text.hpp"
#include "json.hpp"
#include "output.hpp"
#include "sources.hpp"

namespace tacore::cli {
namespace {

std::string columns_json(const std::vector<Column>& columns) {
  std::vector<std::string> out;
  for (const auto& [name, type] : columns) {
    out.push_back(json_object({{"name", json_string(name)}, {"type", json_string(type)}}));
  }
  return json_array(out);
}

std::string levels_json(const Dataset& dataset, int deepest) {
  std::vector<std::string> out;
  for (int level = 0; level <= deepest; ++level) {
    out.push_back(json_object({{"level", std::to_string(level)},
                               {"rows", std::to_string(dataset.level_rows(level))},
                               {"columns", columns_json(dataset.level_columns(level))}}));
  }
  return json_array(out);
}

/// The document without what may surround an object in a file: a byte order mark and blanks.
std::string embedded(const std::string& document) {
  const auto start = document.find('{');
  return document.substr(start, document.rfind('}') + 1 - start);
}

std::string info_json(const Dataset& dataset) {
  const Collection& collection = dataset.collection();
  const PitSchema pit_schema = dataset.pit_schema();
  std::vector<JsonField> members = {
      {"id", json_string(collection.id)},
      {"format", json_string(to_string(dataset.format()))},
      {"taco_version", json_string(collection.taco_version)},
      {"dataset_version", json_string(collection.dataset_version)},
      {"levels", levels_json(dataset, pit_schema.max_depth())},
      {"pit_schema", pit_schema.to_json()},
      {"extent", extent_json(dataset.known_extent())},
      {"collection", embedded(collection.json)},
  };
  if (is_v1(dataset.format())) {
    std::vector<std::string> profiles;
    for (const auto& profile : v1::profiles(dataset.level_columns(0))) profiles.push_back(json_string(profile));
    members.emplace_back("profiles", json_array(profiles));
  }
  return json_object_lines(members);
}

}  // namespace

int run_info(const InfoOptions& options) {
  if (options.sources) return list_sources(options);
  if (is_listing(options.path)) return list_listing(options);
  const Dataset dataset = load(options.path, options.load);
  print(options.json ? info_json(dataset) : info_text(dataset));
  return 0;
}

}  // namespace tacore::cli
