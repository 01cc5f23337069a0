#include <array>

#include "validate/report.hpp"

namespace tacore::validator {
namespace {

constexpr Severity kError = Severity::Error;
constexpr Severity kWarning = Severity::Warning;

/// A deviation of the published writers that readers accept is a warning; so is a recommendation of the specification.
constexpr auto kRules = std::to_array<Rule>({
    {"FMT-1", "6", kError, "The path is a dataset of a known format that readers can open."},
    {"FMT-2", "6", kError, "Every byte that a check reads can be read from the disk or the server."},

    {"ZIP-1", "6.3", kError,
     "The ZIP has an end of central directory record and a central directory that can be read."},
    {"ZIP-2", "6.3", kError,
     "The local header of each ZIP entry agrees with its central directory record: name, version needed, method, "
     "flags, time, CRC-32 and sizes."},
    {"ZIP-3", "6.3", kError, "Every ZIP entry is stored without compression (method 0)."},
    {"ZIP-4", "6.3", kError,
     "No ZIP entry is encrypted, has a data descriptor, or sets another flag than that for UTF-8 names."},
    {"ZIP-5", "6.3", kError, "The names of ZIP entries are unique."},
    {"ZIP-6", "6.3", kError, "ZIP entries do not overlap."},
    {"ZIP-7", "6.3", kError,
     "The entries, the central directory and the end records of the ZIP follow each other without a gap."},
    {"ZIP-8", "6.3", kWarning,
     "The ZIP has no archive comment: the end of central directory record is its last 22 bytes."},
    {"ZIP-9", "6.3", kError,
     "The names of ZIP entries are UTF-8, and relative paths that do not leave the folder they are extracted to."},
    {"ZIP-10", "6.1", kWarning,
     "ZIP entries are TACO_HEADER, files below DATA/, METADATA/levelN.parquet and COLLECTION.json only."},
    {"ZIP-11", "6.3", kError, "No ZIP entry is a symbolic link."},
    {"ZIP-12", "6.3", kWarning, "Records of the central directory have no extra field other than that of ZIP64."},
    {"ZIP-13", "6.3", kError,
     "The ZIP has one end of central directory record: no second one is in its comment, or before it with a comment "
     "that reaches the end of the file."},
    {"ZIP-14", "6.3", kError,
     "A ZIP64 extra field occurs once, and contains exactly the values for which the record itself has no room."},
    {"ZIP-15", "6.3", kError, "All ZIP entries are on the first disk: the archive is not split."},
    {"ZIP-16", "6.3", kWarning, "ZIP entries have no comment."},

    {"HDR-1", "6.3", kError, "The first entry of the ZIP, at byte 0, is TACO_HEADER."},
    {"HDR-2", "6.3", kError,
     "TACO_HEADER is well formed: 116 bytes at byte 41, with 2 to 7 byte ranges inside the file."},
    {"HDR-3", "6.3", kError,
     "TACO_HEADER lists the byte ranges of the level tables in order, then that of COLLECTION.json."},
    {"HDR-4", "6.3", kError, "TACO_HEADER matches the CRC-32 of its ZIP entry."},
    {"HDR-5", "6.3", kWarning, "The reserved bytes and unused byte ranges of TACO_HEADER are zero."},

    {"CRC-1", "6.3", kError, "The bytes of each ZIP entry match its CRC-32 (deep checks only)."},

    {"COL-1", "6.1", kError, "COLLECTION.json exists, and is a JSON object in UTF-8."},
    {"COL-2", "5.5.2", kError, "The `id` of the collection consists of lowercase letters, digits, `_` and `-`."},
    {"COL-3", "5.5.2", kError,
     "Members of COLLECTION.json that the specification defines have the JSON type that it gives them."},
    {"COL-4", "5.5.2", kWarning, "The `taco_version` of the collection is a 2.x version."},
    {"COL-5", "5.5.2", kError, "The collection has a `dataset_version`."},
    {"COL-6", "5.5.2", kError, "The collection has a `description`."},
    {"COL-7", "5.5.2", kError, "The `licenses` of the collection name at least one licence."},
    {"COL-8", "5.5.2", kWarning, "Each licence of the collection is an SPDX identifier."},
    {"COL-9", "5.5.2", kError,
     "The collection has at least one provider; each provider and curator has a name or an organization."},
    {"COL-10", "5.5.2", kError, "The `tasks` of the collection name at least one task."},
    {"COL-11", "5.5.2", kWarning, "Each task of the collection is one of the 21 tasks of the published tools."},
    {"COL-12", "5.5.2", kError, "The `title` of the collection has at most 250 characters."},
    {"COL-13", "5.5.2", kError,
     "The `extent` of the collection is a bounding box in degrees of WGS 84 and a time interval."},
    {"COL-14", "6.1", kError, "No JSON object in COLLECTION.json has two members of the same name."},
    {"COL-15", "5.5.2", kWarning,
     "Members of COLLECTION.json have the form that the specification, or the extension they belong to, defines."},
    {"COL-16", "5.5.2", kWarning, "The `extent` of the collection covers the locations and times of all rows."},
    {"COL-17", "6.6", kWarning, "Only an index (TACOCAT, TACOLLECTION.json) has taco:sources."},

    {"PIT-1", "5.5", kError,
     "Samples are isomorphic: FOLDERs at the same position have as many children, with the same ids and types in the "
     "same order."},
    {"PIT-2", "5.5", kError,
     "Samples of a level share one schema: a `__meta__` has no column that its level table lacks or stores as another "
     "type."},
    {"PIT-3", "6.1", kError, "All samples of level 0 have one type, FILE or FOLDER, and taco:pit_schema states it."},
    {"PIT-4", "5.5", kError, "taco:pit_schema states the types and ids of the rows."},
    {"PIT-5", "6.6", kWarning, "The counts `n` in taco:pit_schema are the numbers of rows."},
    {"PIT-6", "5.5", kError, "taco:pit_schema exists, is well formed, and has at most 5 levels below the root."},

    {"SCH-1", "6.2", kError, "Level tables are Parquet files that can be read."},
    {"SCH-2", "6.2", kError, "A level table has its required columns, with the required types."},
    {"SCH-3", "5.5.1", kError, "The columns `id` and `type` have no nulls."},
    {"SCH-4", "5.5.1", kError, "The column `type` contains FILE or FOLDER only."},
    {"SCH-5", "6.6", kWarning, "taco:field_schema lists the columns of each level table with their types."},
    {"SCH-6", "7.2.3", kWarning, "Columns that readers derive, such as internal:gdal_vsi, are not stored."},
    {"SCH-7", "7.1.2", kWarning,
     "The names of extension columns consist of letters, digits and `_`, with at most one colon."},
    {"SCH-8", "6.2", kError,
     "Parquet statistics agree with the values: no value is outside of min and max, and the null counts are right "
     "(deep checks only)."},
    {"SCH-9", "6.2", kError, "The columns of a level table have different names."},
    {"SCH-10", "6.2", kError,
     "Bounding boxes, id index and page index with a proof of tacore are those of the geometries, ids and pages "
     "(deep checks only)."},

    {"ID-1", "5.5.1", kError,
     "Sample ids have no slash, colon or control character, are not empty, `.` or `..`, and do not start with `__`."},
    {"ID-2", "5.5.1", kError, "Sample ids are unique among siblings."},
    {"ID-3", "5.5", kWarning,
     "Padding samples are named __TACOPAD__N, where N is a number, and a padding FILE has no bytes."},
    {"ID-4", "6.1", kWarning, "The ids of siblings differ in more than upper and lower case or Unicode normalization."},

    {"LVL-1", "6.2", kError, "Each level of taco:pit_schema has a level table, and there are no other level tables."},
    {"LVL-2", "7.2.3", kError, "internal:current_id has no nulls, and increases from row to row."},
    {"LVL-3", "7.2.3", kWarning, "internal:current_id is the row number, counted from 0."},
    {"LVL-4", "6.2", kError, "internal:parent_id refers to a FOLDER of the level above."},
    {"LVL-5", "5.5", kError, "Rows are grouped by parent, in the order of the parents."},
    {"LVL-6", "7.2.3", kWarning, "At level 0, internal:parent_id equals internal:current_id."},
    {"LVL-7", "7.2.3", kError, "internal:relative_path is the path of the parent, followed by the id of the row."},
    {"LVL-8", "7.2.3", kWarning,
     "The columns internal:current_id and, below level 0, internal:relative_path exist; internal:parent_id is an "
     "integer."},
    {"LVL-9", "7.2.3", kWarning, "internal:relative_path of a FOLDER ends with a slash."},

    {"OFF-1", "6.3", kError, "internal:offset and internal:size of a FILE are the offset and size of its ZIP entry."},
    {"OFF-2", "6.3", kError,
     "internal:offset and internal:size of a FOLDER are the offset and size of its `__meta__` in the ZIP."},
    {"OFF-3", "6.3", kError, "Every row has an entry in the ZIP."},
    {"OFF-4", "6.1", kWarning, "Every ZIP entry below DATA/ belongs to a row."},

    {"MET-1", "6.2", kError, "The `__meta__` of each FOLDER exists, and is a Parquet file that can be read."},
    {"MET-2", "6.2", kError,
     "The `__meta__` of a FOLDER has the same rows as the level table: ids and types, in order; with deep checks all "
     "values."},
    {"MET-3", "6.3", kError,
     "internal:offset and internal:size in `__meta__` are the offsets and sizes of the ZIP entries."},
    {"MET-4", "6.2", kWarning,
     "The `__meta__` of a FOLDER has all columns of its level table, except for `internal:*`."},

    {"DIR-1", "6.4", kError, "Every FILE is a file below DATA/, and every FOLDER is a folder."},
    {"DIR-2", "6.4", kError, "No symbolic link below DATA/ leads out of DATA/ or to a folder."},
    {"DIR-3", "6.1", kWarning, "Every file below DATA/ belongs to a row."},
    {"DIR-4", "6.4", kError, "The folders of the dataset can be listed, and the sizes of its files can be read."},
    {"DIR-5", "6.1", kWarning, "METADATA/ contains the level tables and nothing else."},

    {"FLD-1", "7.1.2", kWarning,
     "The columns of the STAC, ISTAC and statistics extensions have the types that these extensions define."},
    {"FLD-2", "7.1.2", kError,
     "`stac:crs` and `istac:crs` are a code such as EPSG:4326, WKT, a PROJ string or PROJJSON."},
    {"FLD-3", "7.1.2", kError, "`stac:tensor_shape` has at least two dimensions, all larger than 0."},
    {"FLD-4", "7.1.2", kError, "A geotransform is a list of six finite numbers, whose determinant is not 0."},
    {"FLD-5", "7.1.2", kError, "Centroids are WKB points in degrees of WGS 84, and geometries are well-formed WKB."},
    {"FLD-6", "7.1.2", kError,
     "The end time of an acquisition is not before its start time, and its middle time is between the two."},
    {"FLD-7", "7.1.2", kError,
     "The statistics of a band are consistent values of min, max, mean, std, valid % and the percentiles p25, p50, p75 "
     "and p95, or the shares of its classes."},

    {"TIF-1", "7.1.2", kError,
     "Each value of `taco:header` is a TIFF index, and all tiles in it lie inside the sample."},
    {"TIF-2", "7.1.2", kError, "Each value of `taco:header` agrees with the TIFF of its sample (deep checks only)."},
    {"TIF-3", "5.2", kError, "Every tile and strip of a TIFF can be decoded (deep checks only)."},
    {"TIF-4", "0.5.0", kWarning,
     "The first bytes of a sample are those of its `tortilla:file_format`, where this is TIFF, PNG, JPEG, JPEG 2000, "
     "GIF or WebP (deep checks only)."},
    {"TIF-5", "5.2", kWarning,
     "The first bytes of a sample are those of the format in its file extension, such as .tif or .png (deep checks "
     "only)."},
    {"TIF-6", "7.1.2", kError,
     "The TIFF index file beside a dataset was made from the present tables and samples of the dataset."},

    {"CAT-1", "6.5", kError, "The header of a __TACOCAT__ file is well formed."},
    {"CAT-2", "6.6", kError, "taco:sources is consistent: its count, ids, files and extents agree with each other."},
    {"CAT-3", "6.5", kError,
     "Every source of an index exists, beside the index or in the base path, and is a dataset."},
    {"CAT-4", "6.5", kError,
     "internal:source_file names a source of the index, and below level 0 the rows of each source are consecutive."},
    {"CAT-5", "6.5", kError,
     "The index has the same rows as each source: ids and types, in order; with deep checks all values."},
    {"CAT-6", "6.6", kWarning, "The extent of each source covers the locations and times of its rows."},
    {"CAT-7", "6.6", kError,
     "All sources have the taco:pit_schema and taco:field_schema of the index, which may also have bounding boxes of "
     "geometries."},
    {"CAT-8", "6.6", kWarning, "The counts of the index are the sums of the counts of its sources."},
    {"CAT-9", "6.6", kError,
     "The level tables of each source are unchanged since the index was made: their CRC-32s are those in "
     "level_crc32s."},
    {"CAT-10", "6.6", kError,
     "The bounds that a TACOLLECTION.json states of its sources are right: the number of rows of each level, and ids, "
     "geometries and times lie within them. All sources then have the same columns."},

    {"PRF-1", "5.5.2", kError,
     "Samples and COLLECTION.json are those of the Merkle root that it states, and of the hashes in `taco:sha256` "
     "(deep "
     "checks only); with `--key`, the signature beside the dataset is of this key."},

    {"AST-1", "5.2", kError, "The header of each FILE can be read."},
    {"AST-2", "7.1.2", kError,
     "The CRS of a sample, in `stac:crs`, `proj:code` or `proj:epsg`, puts the raster where its own CRS does, to a "
     "hundredth "
     "of a pixel."},
    {"AST-3", "7.1.2", kError,
     "The geotransform of a sample, in `stac:geotransform` or `proj:transform`, is that of the file: no corner is off "
     "by "
     "more than a hundredth of a pixel."},
    {"AST-4", "7.1.2", kError,
     "The shape of a sample, in `stac:tensor_shape`, `stac:raster_shape` or `proj:shape`, is that of the file: rows, "
     "columns "
     "and bands."},
    {"AST-5", "7.1.2", kError, "The centroid of a sample lies within the raster, or within a file below the FOLDER."},
    {"AST-6", "7.1.2", kError,
     "The footprint `istac:geometry` meets the raster, and the grid cell `majortom:code` is less than three cells from "
     "its "
     "centre."},
    {"AST-7", "7.1.2", kWarning,
     "Columns whose name and values are those of a property of the files, such as epsg, width, nodata or dtype, have "
     "it in all rows."},
    {"AST-8", "7.1.2", kError, "The size in `file:size` is that of the file."},
    {"AST-9", "5.2", kError, "The content of a FILE is of the format that its name says, such as .tif or .png."},
    {"AST-10", "5.2", kError, "All pixels of a raster can be decoded (with `--pixels` only)."},
    {"AST-11", "5.5.2", kWarning, "The extent of the collection covers the rasters."},
    {"AST-12", "7.1.2", kWarning,
     "Times, and texts with a day in them, that agree with tag 306 of the TIFFs in nearly all rows do so in all of "
     "them."},
    {"AST-13", "7.1.2", kError,
     "The statistics `geotiff:stats` are those of the pixels: min, max, mean and std of each band, to a hundredth of "
     "their range; shares of classes, and `landcover:fractions`, to 0.01 (with `--pixels` only)."},
    {"AST-14", "7.1.2", kError,
     "A column whose description lists the classes of `labels:classes` has no other values, and `landcover:fractions` "
     "has a share for each of them."},
    {"AST-20", "7.1.2", kWarning, "The metadata of each row describes its own file, not that of another row."},
    {"AST-21", "7.1.2", kWarning, "All times of a column have one unit."},
    {"AST-22", "7.1.2", kWarning,
     "Values are possible: no acquisition in the future, no angle or share beyond its range."},
    {"AST-23", "7.1.2", kWarning, "A column of splits has more than one value."},
    {"AST-24", "7.1.2", kWarning, "Missing values are null, not 0, where a quantity such as pH cannot be 0."},
    {"AST-25", "5.5.2", kWarning, "The unit in the description of a column is that of its values."},
    {"AST-26", "7.1.2", kWarning, "Columns with the paths of files in the dataset name the file of their own row."},
    {"AST-27", "7.1.2", kWarning, "No two samples have the same bytes at the same place."},
    {"AST-28", "7.1.2", kWarning, "Samples of different splits neither overlap on the ground nor are of one scene."},
    {"AST-29", "7.1.2", kWarning, "No two files show the same pixels, or nearly the same (with `--pixels` only)."},
    {"AST-30", "7.1.2", kWarning,
     "Labels, and rasters of classes, that have declared classes nearly everywhere have no other values."},
    {"AST-31", "7.1.2", kWarning,
     "Regular series have no gap and nothing twice: times at a place, times of the frames of a sample, numbers in "
     "ids."},
    {"AST-32", "7.1.2", kWarning, "The statistics `geotiff:stats` do not jump at a date."},
    {"AST-33", "7.1.2", kWarning,
     "Each declared class has samples, in each split if it is common, and no class has nearly all of them."},
    {"AST-34", "7.1.2", kWarning, "Samples of all over the globe are not crowded at few places."},
    {"AST-35", "7.1.2", kWarning,
     "Measured quantities of several scenes differ: cloud cover, angles of the sun and of the view, times to the "
     "second."},
    {"AST-36", "7.1.2", kWarning,
     "Shares of classes in `geotiff:stats` are of all classes, also of the largest value (with `--pixels` only)."},

    {"V1-1", "0.5.0", kError,
     "The file header is well formed: it starts with `#y` or `WX`, its byte ranges are inside the file, and there is "
     "at least one partition."},
    {"V1-2", "0.5.0", kWarning,
     "The file header is that of version 0.5.0, and starts with `#y` for a Tortilla and `WX` for a TACO."},
    {"V1-3", "0.5.0", kError,
     "The FOOTER is a Parquet file that can be read, with at least one row and the required columns, with the required "
     "types."},
    {"V1-4", "0.5.0", kError,
     "Sample ids are not empty, and unique in their container; those of level 0 are unique in all partitions "
     "together."},
    {"V1-5", "0.5.0", kError,
     "The bytes of each sample lie in the data of its container, after the header and before the FOOTER."},
    {"V1-6", "0.5.0", kWarning, "The bytes of samples do not overlap."},
    {"V1-7", "0.5.0", kWarning,
     "`tortilla:file_format` is the name of a GDAL driver, BYTES or TORTILLA, spelled exactly so."},
    {"V1-8", "0.5.0", kWarning, "`tortilla:data_split` is train, validation or test."},
    {"V1-9", "0.5.0", kError, "A sample of format TORTILLA is a container whose header and FOOTER can be read."},
    {"V1-10", "0.5.0", kWarning, "Nested containers of a level have the same columns, with the same types."},
    {"V1-11", "0.2.0", kError, "COLLECTION is a JSON object that obeys the rules of the specification."},
    {"V1-12", "0.5.0", kError,
     "All partitions of a dataset exist and no others; they agree on their number and on the id and version of the "
     "dataset."},
    {"V1-13", "0.5.0", kWarning, "Columns that readers derive, `internal:*`, are not stored."},
    {"V1-14", "0.5.0", kWarning,
     "The values of `stac:*` columns are valid: geotransforms of six numbers, times in seconds with the end not before "
     "the start, centroids in degrees."},
    {"V1-15", "0.5.0", kWarning,
     "Files of a dataset of several partitions, and no other files, are named NAME.0000.part.EXTENSION."},
    {"V1-16", "0.5.0", kError, "The columns of each profile that is requested with `--profile` exist."},
    {"V1-17", "0.2.0", kWarning, "COLLECTION has the recommended form, such as SPDX identifiers for licences."},
    {"V1-18", "0.2.0", kError,
     "The tables of a streaming file form a chain, and agree with each other and with the TIFFs."},
    {"V1-19", "0.2.0", kWarning, "Each GeoTIFF of a streaming file is a TACO Optimized GeoTIFF (TOG)."},
    {"V1-21", "0.5.0", kWarning,
     "Nested samples of a level have the same children: the same ids and types in the same order."},
    {"V1-22", "0.5.0", kWarning, "No bytes follow FOOTER and COLLECTION, except in a streaming file."},
    {"V1-23", "0.5.0", kWarning, "A nested container is a single partition."},
    {"V1-24", "0.5.0", kWarning,
     "The first bytes of a sample are those of its `tortilla:file_format` (deep checks only)."},
});

}  // namespace

std::span<const Rule> rules() noexcept { return kRules; }

}  // namespace tacore::validator
