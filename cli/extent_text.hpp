#pragma once

#include <string>

#include <tacore/collection.hpp>

/// Extents in words and as JSON. What is absent, or a half-open interval, is as normal as the rest.
namespace tacore::cli {

/// "-5,35,5,45", as --bbox takes it.
std::string bbox_argument(const BBox& box);
/// "2023-01-01T00:00:00Z/..", as --datetime takes it.
std::string datetime_argument(const TimeRange& range);

/// "longitude -5 to 5, latitude 35 to 45".
std::string in_words(const BBox& box);
/// "2023-01-01 to 2023-12-31", "since 2023-01-01 12:30:00"; midnight and whole days are dates.
std::string in_words(const TimeRange& range);

/// {"spatial": [w, s, e, n], "temporal": [start, end]}, null for what is absent or open.
std::string extent_json(const Extent& extent);

}  // namespace tacore::cli
