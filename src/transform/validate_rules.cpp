#include <array>

#include "transform/validate_report.hpp"

namespace tacore::validator {
namespace {

constexpr Severity kError = Severity::Error;
constexpr Severity kWarning = Severity::Warning;

/// What only the published writers do, and readers accept, is a warning; so is what the specification only recommends.
constexpr auto kRules = std::to_array<Rule>({
    {"FMT-1", "6", kError, "The path is a container that a reader opens."},
    {"FMT-2", "6", kError, "Every byte that is asked for can be read."},

    {"ZIP-1", "6.3", kError, "The archive has an end record and a central directory that can be read."},
    {"ZIP-2", "6.3", kError,
     "A local header says what its central entry says: name, version needed, method, flags, time, CRC-32, sizes."},
    {"ZIP-3", "6.3", kError, "Every entry is stored (compression method 0)."},
    {"ZIP-4", "6.3", kError, "No entry is encrypted or has a data descriptor."},
    {"ZIP-5", "6.3", kError, "Entry names are unique."},
    {"ZIP-6", "6.3", kError, "Entries do not overlap."},
    {"ZIP-7", "6.3", kError, "Entries, central directory and end records follow each other without a gap."},
    {"ZIP-8", "6.3", kWarning, "The end record is the last 22 bytes: no archive comment."},
    {"ZIP-9", "6.3", kError, "Entry names are relative, UTF-8 and stay below the root."},
    {"ZIP-10", "6.1", kWarning, "Entries are TACO_HEADER, DATA/, METADATA/levelN.parquet and COLLECTION.json."},
    {"ZIP-11", "6.3", kError, "No entry is a symbolic link."},
    {"ZIP-12", "6.3", kWarning, "Central entries have no extra field but that of ZIP64."},
    {"ZIP-13", "6.3", kError,
     "There is one end record: none in its comment, or in front of it with a comment up to the end."},
    {"ZIP-14", "6.3", kError,
     "A ZIP64 field is there once, and has exactly the numbers that its record has no room for."},
    {"ZIP-15", "6.3", kError, "All entries are on the first disk."},
    {"ZIP-16", "6.3", kWarning, "Entries have no comment."},

    {"HDR-1", "6.3", kError, "TACO_HEADER is the entry at byte 0."},
    {"HDR-2", "6.3", kError, "TACO_HEADER is well formed: 116 bytes at byte 41, 2 to 7 ranges inside the file."},
    {"HDR-3", "6.3", kError, "The ranges of TACO_HEADER are the level tables in order, then COLLECTION.json."},
    {"HDR-4", "6.3", kError, "TACO_HEADER matches its CRC-32."},
    {"HDR-5", "6.3", kWarning, "Reserved bytes and unused ranges of TACO_HEADER are zero."},

    {"CRC-1", "6.3", kError, "The bytes of an entry match its CRC-32 (deep checks only)."},

    {"COL-1", "6.1", kError, "COLLECTION.json is there, and is a JSON object in UTF-8."},
    {"COL-2", "5.5.2", kError, "`id` is lowercase letters, digits, `_` and `-`."},
    {"COL-3", "5.5.2", kError, "Known members have the type that the specification gives them."},
    {"COL-4", "5.5.2", kWarning, "`taco_version` is a 2.x version."},
    {"COL-5", "5.5.2", kError, "`dataset_version` is there."},
    {"COL-6", "5.5.2", kError, "`description` is there."},
    {"COL-7", "5.5.2", kError, "`licenses` names at least one licence."},
    {"COL-8", "5.5.2", kWarning, "Licences are SPDX identifiers."},
    {"COL-9", "5.5.2", kError, "`providers` has at least one; each provider and curator has a name."},
    {"COL-10", "5.5.2", kError, "`tasks` names at least one task."},
    {"COL-11", "5.5.2", kWarning, "Tasks are of the published list."},
    {"COL-12", "5.5.2", kError, "`title` has at most 250 characters."},
    {"COL-13", "5.5.2", kError, "`extent` is a box in WGS 84 and an interval of time."},
    {"COL-14", "6.1", kError, "No object of COLLECTION.json has two members of one name."},
    {"COL-15", "5.5.2", kWarning, "Members have the form of the specification, or of the extension that writes them."},
    {"COL-16", "5.5.2", kWarning, "The extent covers the places and times of the rows."},
    {"COL-17", "6.6", kWarning, "Only an index has taco:sources."},

    {"PIT-1", "5.5", kError, "Samples are isomorphic: as many children, the same id and type at the same position."},
    {"PIT-2", "5.5", kError, "Samples of a level share one schema; `__meta__` has no other columns or types."},
    {"PIT-3", "6.1", kError, "All samples of the root have one type, that of taco:pit_schema."},
    {"PIT-4", "5.5", kError, "taco:pit_schema has the types and ids of the rows."},
    {"PIT-5", "6.6", kWarning, "The counts `n` of taco:pit_schema are the numbers of rows."},
    {"PIT-6", "5.5", kError, "taco:pit_schema is there and well formed, with at most 5 levels below the root."},

    {"SCH-1", "6.2", kError, "Level tables are Parquet files that can be read."},
    {"SCH-2", "6.2", kError, "A level table has its required columns, in their types."},
    {"SCH-3", "5.5.1", kError, "`id` and `type` are never null."},
    {"SCH-4", "5.5.1", kError, "`type` is FILE or FOLDER."},
    {"SCH-5", "6.6", kWarning, "taco:field_schema lists the columns of each level with their types."},
    {"SCH-6", "7.2.3", kWarning, "Columns that only readers make, such as internal:gdal_vsi, are not stored."},
    {"SCH-7", "7.1.2", kWarning, "Extension columns are letters, digits and `_`, with at most one colon."},
    {"SCH-8", "6.2", kError,
     "Parquet statistics hold for the values: no value outside of min and max, as many nulls (deep checks only)."},
    {"SCH-9", "6.2", kError, "The columns of a level have different names."},

    {"ID-1", "5.5.1", kError, "Ids are legal: no slash, colon or control character, not `.` or `..`, no leading `__`."},
    {"ID-2", "5.5.1", kError, "Ids are unique among siblings."},
    {"ID-3", "5.5", kWarning, "Padding is called __TACOPAD__N, and a FILE of it has no bytes."},
    {"ID-4", "6.1", kWarning, "Siblings differ in more than case or Unicode form."},

    {"LVL-1", "6.2", kError, "There is a level table for every level of taco:pit_schema, and no other."},
    {"LVL-2", "7.2.3", kError, "internal:current_id is set, and ascends."},
    {"LVL-3", "7.2.3", kWarning, "internal:current_id is the row number."},
    {"LVL-4", "6.2", kError, "internal:parent_id refers to a FOLDER of the level above."},
    {"LVL-5", "5.5", kError, "Rows are grouped by parent, in the order of the parents."},
    {"LVL-6", "7.2.3", kWarning, "At level 0, internal:parent_id is internal:current_id."},
    {"LVL-7", "7.2.3", kError, "internal:relative_path is the parent's path and the id."},
    {"LVL-8", "7.2.3", kWarning,
     "internal:current_id and, below level 0, internal:relative_path are there; internal:parent_id is an integer."},
    {"LVL-9", "7.2.3", kWarning, "internal:relative_path of a FOLDER ends with a slash."},

    {"OFF-1", "6.3", kError, "internal:offset and internal:size of a FILE are those of its entry."},
    {"OFF-2", "6.3", kError, "internal:offset and internal:size of a FOLDER are those of its `__meta__`."},
    {"OFF-3", "6.3", kError, "Every row has an entry in the archive."},
    {"OFF-4", "6.1", kWarning, "Every entry below DATA/ belongs to a row."},

    {"MET-1", "6.2", kError, "The `__meta__` of a FOLDER is there, and is Parquet that can be read."},
    {"MET-2", "6.2", kError,
     "`__meta__` has the rows of the level table: ids and types, in order; with deep checks all values."},
    {"MET-3", "6.3", kError, "internal:offset and internal:size in `__meta__` are those of the entries."},
    {"MET-4", "6.2", kWarning, "`__meta__` has all columns of its level."},

    {"DIR-1", "6.4", kError, "Every FILE is a file below DATA/, every FOLDER a folder."},
    {"DIR-2", "6.4", kError, "No symbolic link below DATA/ leads out of it or to a folder."},
    {"DIR-3", "6.1", kWarning, "Every file below DATA/ belongs to a row."},
    {"DIR-4", "6.4", kError, "Folders can be listed, and the sizes of files read."},
    {"DIR-5", "6.1", kWarning, "METADATA/ holds the level tables and nothing else."},

    {"FLD-1", "7.1.2", kWarning,
     "The columns of STAC, ISTAC and statistics have the type that their extension gives them."},
    {"FLD-2", "7.1.2", kError, "`stac:crs` and `istac:crs` are a code, WKT, a PROJ string or PROJJSON."},
    {"FLD-3", "7.1.2", kError, "`stac:tensor_shape` has at least two sizes, all above 0."},
    {"FLD-4", "7.1.2", kError, "A geotransform is six finite numbers, whose determinant is not 0."},
    {"FLD-5", "7.1.2", kError, "Centroids are points in degrees of WGS 84, geometries are WKB with a position."},
    {"FLD-6", "7.1.2", kError, "An acquisition ends when or after it starts, with its middle between."},
    {"FLD-7", "7.1.2", kError,
     "Statistics of a band are min, max, mean, std, valid %, p25 to p95 that fit each other, or shares of classes."},

    {"TIF-1", "7.1.2", kError, "`taco:header` is a header of a TIFF, all tiles of which lie in the sample."},
    {"TIF-2", "7.1.2", kError, "`taco:header` is that of the sample's TIFF (deep checks only)."},
    {"TIF-3", "5.2", kError, "Every block of a TIFF can be decoded (deep checks only)."},
    {"TIF-4", "0.5.0", kWarning,
     "A sample begins as files of its `tortilla:file_format` do: TIFF, PNG, JPEG, JPEG 2000, GIF, WebP (deep checks "
     "only)."},
    {"TIF-5", "5.2", kWarning, "A sample whose id ends as the names of these files is one (deep checks only)."},

    {"CAT-1", "6.5", kError, "The header of a __TACOCAT__ file is well formed."},
    {"CAT-2", "6.6", kError, "taco:sources agrees with itself: count, ids, files, extents."},
    {"CAT-3", "6.5", kError, "Every source is there, beside the index or in the base path, and is a dataset."},
    {"CAT-4", "6.5", kError, "internal:source_file names a source; the rows of a source stand together."},
    {"CAT-5", "6.5", kError,
     "The index has the rows of each source: ids and types, in order; with deep checks all values."},
    {"CAT-6", "6.6", kWarning, "The extent of a source covers the places and times of its rows."},
    {"CAT-7", "6.6", kError, "All sources have the taco:pit_schema and taco:field_schema of the index."},
    {"CAT-8", "6.6", kWarning, "The counts of the index are the sums of those of its sources."},
    {"CAT-9", "6.6", kError, "The level tables of a source are those that the index was made of (its level_crc32s)."},

    {"V1-1", "0.5.0", kError,
     "The header is well formed: `#y` or `WX`, ranges inside of the file, at least one partition."},
    {"V1-2", "0.5.0", kWarning, "The header is that of version 0.5.0, with the magic of its kind."},
    {"V1-3", "0.5.0", kError,
     "The FOOTER is Parquet that can be read, with at least one row and the required columns in their types."},
    {"V1-4", "0.5.0", kError, "Ids are there, and unique in their container; those of the root in all partitions."},
    {"V1-5", "0.5.0", kError,
     "Samples lie among the data of their container, behind the header and before the FOOTER."},
    {"V1-6", "0.5.0", kWarning, "Samples do not overlap."},
    {"V1-7", "0.5.0", kWarning,
     "`tortilla:file_format` is a driver of GDAL, or BYTES or TORTILLA, and they are spelled so."},
    {"V1-8", "0.5.0", kWarning, "`tortilla:data_split` is train, validation or test."},
    {"V1-9", "0.5.0", kError, "A sample of format TORTILLA is a container whose header and FOOTER can be read."},
    {"V1-10", "0.5.0", kWarning, "Nested containers of a level have the same columns, of the same types."},
    {"V1-11", "0.2.0", kError, "COLLECTION is a JSON object by the rules of the specification."},
    {"V1-12", "0.5.0", kError,
     "All partitions are there, no more, say how many there are, and have one id and version."},
    {"V1-13", "0.5.0", kWarning, "Columns that only readers make, `internal:*`, are not stored."},
    {"V1-14", "0.5.0", kWarning,
     "`stac:*` fields hold what they should: six numbers, seconds in order, a point in degrees."},
    {"V1-15", "0.5.0", kWarning, "Partitions, and only they, are named NAME.0000.part.EXTENSION."},
    {"V1-16", "0.5.0", kError, "The fields of a profile that is asked for are there."},
    {"V1-17", "0.2.0", kWarning, "COLLECTION has nothing that is better said otherwise."},
    {"V1-18", "0.2.0", kError,
     "The tables of a streaming file form a chain, and agree with each other and with the TIFFs."},
    {"V1-19", "0.2.0", kWarning, "Each GeoTIFF of a streaming file is a TACO Optimized GeoTIFF."},
    {"V1-21", "0.5.0", kWarning, "Nested samples of a level are alike: the same ids and types in the same order."},
    {"V1-22", "0.5.0", kWarning, "Nothing stands behind FOOTER and COLLECTION."},
    {"V1-23", "0.5.0", kWarning, "A nested container is one partition."},
    {"V1-24", "0.5.0", kWarning, "A sample begins as files of its format do (deep checks only)."},
});

}  // namespace

std::span<const Rule> rules() noexcept { return kRules; }

}  // namespace tacore::validator
