#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "container/container.hpp"
#include "format/zip_records.hpp"
#include "io/byte_source.hpp"
#include "table/level_table.hpp"
#include "tacore/collection.hpp"
#include "validate/names.hpp"
#include "validate/report.hpp"

/// The checks of validate(). Each reports the faults it finds, and throws only for errors that are no faults of the
/// data.
namespace tacore::validator {

/// The locations of the tables of an index or a ZIP.
struct Tables {
  std::optional<ByteRange> collection = {};
  std::vector<ByteRange> levels = {};
};

/// The results for one container, for checks that compare several.
struct Checked {
  std::optional<Collection> collection = {};
  std::vector<std::shared_ptr<const LevelTable>> levels = {};  ///< nullptr where one cannot be read
  std::optional<Entries> entries = {};                         ///< payloads of a ZIP, files below DATA/ of a folder
};

/// ZIP-*, and CRC-1 when `deep`. Returns nothing when the archive has no central directory.
std::optional<Entries> check_zip(Report& report, const ByteSource& archive, bool deep);
/// Throws FormatError with the first error of ZIP-*, for archives that will be extracted whole. IoError.
void require_strict_zip(const ByteSource& archive);
/// ZIP-2 to ZIP-7 and ZIP-14: local headers against the directory. Returns the offset of the payload of each entry.
std::vector<uint64_t> check_records(Report& report, const ByteSource& archive, const zip::Directory& directory,
                                    const std::vector<zip::CentralEntry>& entries);
/// CRC-1. `payloads` are the offsets of the bytes of `entries`.
void check_checksums(Report& report, const ByteSource& archive, const std::vector<zip::CentralEntry>& entries,
                     const std::vector<uint64_t>& payloads);
/// HDR-*. Returns the tables listed in the directory, or without one those that the header names.
Tables check_header(Report& report, const ByteSource& archive, const Entries* entries);

/// COL-*, PIT-6 and CAT-2. `document` is COLLECTION.json, or part of `path`.
std::optional<Collection> check_collection(Report& report, const ByteSource& document, const std::string& path);

/// DIR-2 and DIR-4: the files below DATA/, named as in a ZIP. Nothing when a folder cannot be listed: then no missing
/// file can be reported.
std::optional<Entries> list_data(Report& report, const std::string& folder);

/// The existing files of a remote folder, which cannot be listed: those that the rows of `levels` name (nullptr: an
/// unreadable level).
Entries list_remote_data(const Storage& storage, const std::string& folder,
                         std::span<const std::shared_ptr<const LevelTable>> levels);

/// DIR-5: other files in METADATA/ than the first `num_levels` tables; DIR-4 when it cannot be listed.
void check_metadata_folder(Report& report, const std::string& folder, std::size_t num_levels);

/// The kinds of level tables, which have different required columns.
enum class TableKind { Zip, Folder, Index };

/// Opens a level table; nullptr with SCH-1 or SCH-2 when that fails.
std::shared_ptr<const LevelTable> open_level(Report& report, const std::shared_ptr<const ByteSource>& source,
                                             const ErrorContext& where);
/// SCH-2, SCH-5 to SCH-7, LVL-8.
void check_columns(Report& report, const LevelTable& table, TableKind kind, const Collection* collection);
/// SCH-8, and SCH-1 for every value: a column that cannot be decoded, and text that is not UTF-8.
void check_values(Report& report, const LevelTable& table);

/// Rows [begin, end) of a level, which belong to one container.
struct LevelRange {
  std::shared_ptr<const LevelTable> table = {};
  int64_t begin = 0;
  int64_t end = 0;
};

/// The rows of one container, and the files that they refer to.
struct Section {
  std::string path = {};
  std::vector<LevelRange> levels = {};
  Entries* entries = nullptr;  ///< nullptr when unknown
  bool is_zip = true;          ///< entries have locations that rows must state
  bool deep = false;           ///< TIFF indexes are verified against the TIFFs
  /// Opens the `__meta__` or FILE of an entry; empty where these are not read.
  std::function<std::shared_ptr<const ByteSource>(std::size_t entry)> open_entry = {};
};

/// The TIFF index in a row.
struct HeaderCell {
  std::string row = {};  ///< for messages
  std::string_view header = {};
  uint64_t size = 0;                              ///< bytes of the sample
  std::shared_ptr<const ByteSource> source = {};  ///< the sample; nullptr where it is not to be read
};
/// TIF-1, and TIF-2 with a source.
void check_tiff_header(Report& report, const HeaderCell& cell, const ErrorContext& where);

/// TIF-6, and TIF-1 and TIF-2 for its contents: the file of TIFF indexes beside the ZIP or index at `path`, whose ZIPs
/// are in `base`. Throws IoError.
void check_header_file(Report& report, const Storage& storage, const Container& container, const std::string& path,
                       const std::string& base, bool deep);

/// TIF-3 to TIF-5: the bytes of all FILEs of the dataset at `path`. Throws as load().
void check_samples(Report& report, const std::string& path, const std::string& base_path);

class PitShape;

/// All rows of a section: SCH-3, SCH-4, ID-*, LVL-2 to LVL-7, OFF-1 to OFF-3, MET-*, DIR-1. `shape` collects the tree
/// (PIT-1). False when the files of some rows are unknown.
bool check_rows(Report& report, const Section& section, PitShape& shape);
/// OFF-4 or DIR-3: entries below DATA/ that no row in check_rows() referred to.
void check_unreferenced(Report& report, const Section& section);

/// LVL-1, PIT-3 to PIT-5: the tree of the rows against that of the collection; SCH-5 for levels that only
/// taco:field_schema has.
void check_pit_schema(Report& report, const PitSchema& schema, const PitShape& shape, const Checked& checked,
                      const std::string& path);

/// CAT-6: the footprints and times of rows [begin, end) against the extent of their source; for a dataset, whose source
/// is "", COL-16.
void check_extent(Report& report, const Extent& extent, const LevelRange& rows, const std::string& source,
                  const ErrorContext& where);

Checked check_zip_dataset(Report& report, const std::shared_ptr<const ByteSource>& archive, const std::string& path,
                          bool deep);
Checked check_folder_dataset(Report& report, const Storage& storage, const std::string& path, bool deep);

/// An index over containers in the folder `base`.
struct Index {
  std::string path = {};  ///< as the user wrote it
  std::string base = {};
  std::string folder = {};  ///< `.tacocat/`, or empty for a file
  std::shared_ptr<const ByteSource> file = {};
};
void check_tacocat(Report& report, const Storage& storage, const Index& index, bool deep);
void check_tacollection(Report& report, const Storage& storage, const Index& index, bool deep);

}  // namespace tacore::validator
