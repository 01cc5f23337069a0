#include <utility>

#include "base/interrupt.hpp"
#include "describe/new_folder.hpp"
#include "describe/stac.hpp"
#include "io/entry_at.hpp"
#include "io/vsi_path.hpp"
#include "tacore/plumbing/apart.hpp"

namespace tacore {
namespace descriptions {
namespace {

constexpr const char* kCollectionFile = "collection.json";
constexpr const char* kItemsFolder = "items";

/// The text of a document up to the last element of its last member, which is a list, and the text after it.
std::pair<std::string, std::string> open_last_list(const Json& document) {
  std::string text = dump(document);
  const auto end = text.rfind(']');
  const auto last = text.find_last_not_of(" \n", end - 1);
  return {text.substr(0, last + 1), "\n  ]\n}\n"};
}

}  // namespace

void write_catalog(const NewFolder& folder, const std::string& name, const Dataset& dataset, const Facts& facts,
                   const std::string& directory, int level, const DescribeOptions& options, const Json& links) {
  Facts of_collection = facts, of_items = facts;
  if (facts.base_url.empty()) {
    of_collection.base_url = way_between(path_join(directory, name), facts.folder);
    of_items.base_url = way_between(path_join(path_join(directory, name), kItemsFolder), facts.folder);
  }
  if (!name.empty()) folder.make_folder(name);
  const std::string items_folder = path_join(name, kItemsFolder);
  folder.make_folder(items_folder);
  Json collection = stac_collection(of_collection);
  collection["links"].push_back({{"rel", "root"},
                                 {"href", std::string("./") + kCollectionFile},
                                 {"type", "application/json"},
                                 {"title", facts.title()}});
  for (const Json& link : links) collection["links"].push_back(link);
  const auto [head, tail] = open_last_list(collection);
  PlainFile index = folder.file(path_join(name, kCollectionFile));
  index.write(head);
  LevelItems items(dataset, of_items, level, options);
  items.for_each(true, [&](const Item& item) {
    throw_if_interrupted();
    PlainFile file = folder.file(path_join(items_folder, item.id + ".json"));
    file.write(dump(stac_item(item, of_items, items, std::string("../") + kCollectionFile)));
    file.close();
    const Json link = {{"rel", "item"},
                       {"href", std::string("./") + kItemsFolder + "/" + item.id + ".json"},
                       {"type", "application/geo+json"},
                       {"title", item.path}};
    index.write(",\n    " + link.dump(-1, ' ', false, Json::error_handler_t::replace));
  });
  index.write(tail);
  index.close();
}

}  // namespace descriptions

void write_stac(const Dataset& dataset, const std::string& directory, int level, const DescribeOptions& options) {
  using namespace descriptions;
  require_apart(directory, files_of(dataset));
  const Facts facts = gather(dataset, options, level);
  const NewFolder folder(directory, options.overwrite, "a folder with a collection.json",
                         [](const std::string& old) { return entry_at(path_join(old, kCollectionFile)).has_value(); });
  write_catalog(folder, "", dataset, facts, directory, level, options, Json::array());
  folder.publish();
}

}  // namespace tacore
