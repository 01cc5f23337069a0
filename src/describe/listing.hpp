#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "describe/json.hpp"
#include "tacore/ops/site.hpp"

/// Which datasets a listing has, and what it says of each.
namespace tacore::descriptions {

inline constexpr const char* kCatalogueFile = "catalog.json";

/// A dataset to be opened.
struct Place {
  std::string path = {};
  std::string name = {};    ///< that a list gives it
  bool is_required = true;  ///< a dataset that cannot be read is an error, not a warning
};

/// The datasets of a folder or list, each once. Throws as list_datasets().
std::vector<Place> find_datasets(const std::string& path, const ListOptions& options);

/// Calls `read` with the number of each place, and then `write`, on several threads; progress counts places. Returns
/// which were read: what `read` throws is a warning for places that are not required.
std::vector<bool> for_each_place(const std::vector<Place>& places, const Task& task,
                                 const std::function<void(std::size_t)>& read,
                                 const std::function<void(std::size_t)>& write = {});

/// The items whose number is chosen.
template <class T>
std::vector<T> chosen(std::vector<T> items, const std::vector<bool>& is_chosen) {
  std::vector<T> out;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (is_chosen[i]) out.push_back(std::move(items[i]));
  }
  return out;
}

DatasetSummary summarize(const Dataset& dataset, const Place& place);

/// The member `taco:dataset` of a link of the catalogue, and the inverse of all links.
Json to_json(const DatasetSummary& dataset);
std::vector<DatasetSummary> read_catalogue(const std::string& path, const LoadOptions& options);

/// Whether a local folder has the catalog.json of write_site().
bool is_catalogue(const std::string& folder);

}  // namespace tacore::descriptions
