#pragma once

#include <string_view>

/// Every reserved file and column name of TACO 2.0, once.
namespace tacore::names {

// Files (§6.2, §6.3, §6.5, §6.6).
inline constexpr std::string_view kHeader = "TACO_HEADER";              ///< first entry of a ZIP
inline constexpr std::string_view kCollection = "COLLECTION.json";      ///< last entry of a ZIP
inline constexpr std::string_view kTacollection = "TACOLLECTION.json";  ///< merged, of many ZIPs
inline constexpr std::string_view kData = "DATA/";                      ///< the samples
inline constexpr std::string_view kMetadata = "METADATA/";              ///< the levels
inline constexpr std::string_view kMeta = "__meta__";                   ///< children of one FOLDER
inline constexpr std::string_view kTacocatFolder = ".tacocat";          ///< index over many ZIPs
inline constexpr std::string_view kTacocatFile = "__TACOCAT__";         ///< the same index as one file
inline constexpr std::string_view kPadding = "__TACOPAD__";             ///< prefix of padding ids

// Columns (§7.2.3).
inline constexpr std::string_view kId = "id";                                ///< unique in a folder
inline constexpr std::string_view kPath = "path";                            ///< of the file, while writing
inline constexpr std::string_view kType = "type";                            ///< FILE or FOLDER
inline constexpr std::string_view kInternal = "internal:";                   ///< prefix of the rest
inline constexpr std::string_view kCurrentId = "internal:current_id";        ///< row number
inline constexpr std::string_view kParentId = "internal:parent_id";          ///< of the parent
inline constexpr std::string_view kOffset = "internal:offset";               ///< byte in the ZIP
inline constexpr std::string_view kSize = "internal:size";                   ///< bytes
inline constexpr std::string_view kRelativePath = "internal:relative_path";  ///< from DATA/
inline constexpr std::string_view kSourceFile = "internal:source_file";      ///< ZIP of TACOCAT row
inline constexpr std::string_view kSourcePath = "internal:source_path";      ///< concat: the input
inline constexpr std::string_view kGdalVsi = "internal:gdal_vsi";            ///< built when reading
inline constexpr std::string_view kSubfile = "internal:subfile";             ///< its name before 2.0

inline constexpr int kMaxLevel = 5;  ///< levels 0 to 5 (§6.2)

/// METADATA/level{level}.parquet without the folder.
inline constexpr std::string_view kLevelFiles[] = {
    "level0.parquet", "level1.parquet", "level2.parquet", "level3.parquet", "level4.parquet", "level5.parquet",
};
/// True for the name of a level file, without the folder.
constexpr bool is_level_file(std::string_view name) {
  for (const auto file : kLevelFiles) {
    if (name == file) return true;
  }
  return false;
}

}  // namespace tacore::names
