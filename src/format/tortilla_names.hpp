#pragma once

#include <string_view>

/// Every reserved column name of Tortilla 0.5.0 and TACO 0.2.0, once.
namespace tacore::v1::names {

inline constexpr std::string_view kPrefix = "tortilla:";  ///< of the columns that identify and locate a sample
inline constexpr std::string_view kId = "tortilla:id";    ///< unique in its container
inline constexpr std::string_view kFileFormat = "tortilla:file_format";  ///< GDAL short name, BYTES or TORTILLA
inline constexpr std::string_view kDataSplit = "tortilla:data_split";    ///< train, validation or test
inline constexpr std::string_view kOffset = "tortilla:offset";           ///< from the first byte of its container
inline constexpr std::string_view kLength = "tortilla:length";           ///< bytes
inline constexpr std::string_view kRoot = "tortilla:root";               ///< streaming: ids of the ancestors, `a/b`
inline constexpr std::string_view kParent = "tortilla:parent";           ///< streaming: row in the level above
inline constexpr std::string_view kIndex = "__index_level_0__";          ///< left behind by the published writers

inline constexpr std::string_view kBytes = "BYTES";        ///< format of a file that GDAL does not open
inline constexpr std::string_view kTortilla = "TORTILLA";  ///< format of a nested container

}  // namespace tacore::v1::names
