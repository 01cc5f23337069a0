#pragma once

#include "describe/facts.hpp"
#include "describe/items.hpp"
#include "describe/json.hpp"
#include "describe/new_folder.hpp"

/// STAC 1.1 as JSON.
namespace tacore::descriptions {

inline constexpr const char* kStacVersion = "1.1.0";
inline constexpr const char* kProjection = "https://stac-extensions.github.io/projection/v2.0.0/schema.json";

/// The asset of a sample that is a FILE.
inline constexpr const char* kDataAsset = "data";

/// The names of the assets of the Items of a level: kDataAsset for FILEs, the paths of the files below FOLDERs.
std::vector<std::string> asset_names(const Facts& facts, int level);

/// A property that is "unknown" when the time of the sample is.
inline constexpr const char* kTimeUnknown = "taco:time";

/// A STAC Collection. The member `links` is the last, so that links to Items can be appended.
Json stac_collection(const Facts& facts);

/// The properties of an Item: time, projection, path and the user columns.
Json stac_properties(const Item& item, const Facts& facts);
/// The assets of an Item by name: the files of the sample.
Json stac_assets(const Item& item, const Facts& facts, const LevelItems& items);
/// An Item. `collection` is the relative URL of its Collection.
Json stac_item(const Item& item, const Facts& facts, const LevelItems& items, const std::string& collection);

/// Writes collection.json and items/ID.json to the folder `name` in a new folder, "" for itself. `facts` refers to the
/// data from there, unless it has a base URL; `links` are added to the Collection.
void write_catalog(const NewFolder& folder, const std::string& name, const Dataset& dataset, const Facts& facts,
                   const std::string& directory, int level, const DescribeOptions& options, const Json& links);

/// The name of a user column in an Item: with the prefix `taco:` when STAC gives the name a meaning of its own.
std::string property_name(const std::string& column);

}  // namespace tacore::descriptions
