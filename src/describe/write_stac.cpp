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
}  // namespace descriptions

void write_stac(const Dataset& dataset, const std::string& directory, int level, const DescribeOptions& options) {
  using namespace descriptions;
  require_apart(directory, files_of(dataset));
  Facts facts = gather(dataset, options, level);
  Facts of_items = facts;
  if (facts.base_url.empty()) {
    facts.base_url = way_between(directory, facts.folder);
    of_items.base_url = way_between(path_join(directory, kItemsFolder), facts.folder);
  }
  const NewFolder folder(directory, options.overwrite, "a folder with a collection.json",
                         [](const std::string& old) { return entry_at(path_join(old, kCollectionFile)).has_value(); });
  folder.make_folder(kItemsFolder);
  Json collection = stac_collection(facts);
  collection["links"].push_back({{"rel", "root"},
                                 {"href", std::string("./") + kCollectionFile},
                                 {"type", "application/json"},
                                 {"title", facts.title()}});
  const auto [head, tail] = open_last_list(collection);
  PlainFile index = folder.file(kCollectionFile);
  index.write(head);
  LevelItems items(dataset, of_items, level, options);
  items.for_each(true, [&](const Item& item) {
    throw_if_interrupted();
    PlainFile file = folder.file(path_join(kItemsFolder, item.id + ".json"));
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
  folder.publish();
}

}  // namespace tacore
