#pragma once

#include "describe/facts.hpp"
#include "describe/items.hpp"
#include "describe/json.hpp"

/// STAC 1.1, for the files that have it.
namespace tacore::descriptions {

inline constexpr const char* kStacVersion = "1.1.0";
inline constexpr const char* kProjection = "https://stac-extensions.github.io/projection/v2.0.0/schema.json";

/// Of a sample whose time is not known: "unknown".
inline constexpr const char* kTimeUnknown = "taco:time";

/// Its member `links` is the last one.
Json stac_collection(const Facts& facts);

/// What an Item says of its time, place and grid, and the columns of the user.
Json stac_properties(const Item& item, const Facts& facts);
/// Its files, by name.
Json stac_assets(const Item& item, const Facts& facts, const LevelItems& items);
/// `collection` is where its Collection is.
Json stac_item(const Item& item, const Facts& facts, const LevelItems& items, const std::string& collection);

/// A name that STAC gives another meaning gets a prefix.
std::string property_name(const std::string& column);

}  // namespace tacore::descriptions
