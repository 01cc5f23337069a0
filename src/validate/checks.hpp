#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "format/zip_records.hpp"
#include "io/byte_source.hpp"
#include "container/container.hpp"
#include "table/level_table.hpp"
#include "tacore/collection.hpp"
#include "validate/names.hpp"
#include "validate/report.hpp"

/// The checks that validate() is made of. Each reports what it finds and throws nothing but what is no fault of the
/// data.
namespace tacore::validator {

/// Where an index, or a ZIP, has its tables.
struct Tables {
  std::optional<ByteRange> collection = {};
  std::vector<ByteRange> levels = {};
};

/// What was found in one container, for the checks that compare several.
struct Checked {
  std::optional<Collection> collection = {};
  std::vector<std::shared_ptr<const LevelTable>> levels = {};  ///< nullptr where one cannot be read
  std::optional<Entries> entries = {};                         ///< payloads of a ZIP, files below DATA/ of a folder
};

/// ZIP-*, and CRC-1 when `deep`. Nothing when the archive has no directory.
std::optional<Entries> check_zip(Report& report, const ByteSource& archive, bool deep);
/// Throws FormatError with the first error of ZIP-*, for what is about to be extracted whole. IoError.
void require_strict_zip(const ByteSource& archive);
/// ZIP-2 to ZIP-7 and ZIP-14: records against each other. Returns where the payload of each entry starts.
std::vector<uint64_t> check_records(Report& report, const ByteSource& archive, const zip::Directory& directory,
                                    const std::vector<zip::CentralEntry>& entries);
/// CRC-1. `payloads` are where the bytes of `entries` start.
void check_checksums(Report& report, const ByteSource& archive, const std::vector<zip::CentralEntry>& entries,
                     const std::vector<uint64_t>& payloads);
/// HDR-*. The tables are those of the directory; without one, those that the header names.
Tables check_header(Report& report, const ByteSource& archive, const Entries* entries);

/// COL-*, PIT-6 and CAT-2. `document` is COLLECTION.json, or part of `path`.
std::optional<Collection> check_collection(Report& report, const ByteSource& document, const std::string& path);

/// DIR-2 and DIR-4: what lies below DATA/, names as in a ZIP. Nothing when a folder cannot be listed: what lies in it
/// cannot be missed then.
std::optional<Entries> list_data(Report& report, const std::string& folder);

/// The same of a remote folder, which cannot be listed: the files that the rows of `levels` (nullptr: unreadable) name
/// and that are there.
Entries list_remote_data(const Storage& storage, const std::string& folder,
                         std::span<const std::shared_ptr<const LevelTable>> levels);

/// DIR-5: what lies in METADATA/ beside the first `num_levels` tables; DIR-4 when that cannot be listed.
void check_metadata_folder(Report& report, const std::string& folder, std::size_t num_levels);

/// What columns a level table must have.
enum class TableKind { Zip, Folder, Index };

/// Opens a level table; SCH-1 and SCH-2 when it cannot be. nullptr then.
std::shared_ptr<const LevelTable> open_level(Report& report, const std::shared_ptr<const ByteSource>& source,
                                             const ErrorContext& where);
/// SCH-2, SCH-5 to SCH-7, LVL-8.
void check_columns(Report& report, const LevelTable& table, TableKind kind, const Collection* collection);
/// SCH-8, and SCH-1 by every value: a column that cannot be decoded, and text that is not UTF-8.
void check_values(Report& report, const LevelTable& table);

/// Rows [begin, end) of a level: those of one container.
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
  bool is_zip = true;          ///< entries have places that rows must name
  bool deep = false;           ///< headers of TIFFs are held against the TIFFs
  /// The `__meta__` or FILE that is an entry; empty where they are not to be read.
  std::function<std::shared_ptr<const ByteSource>(std::size_t entry)> open_entry = {};
};

/// The header of a TIFF in a row.
struct HeaderCell {
  std::string row = {};  ///< for messages
  std::string_view header = {};
  uint64_t size = 0;                              ///< bytes of the sample
  std::shared_ptr<const ByteSource> source = {};  ///< the sample; nullptr where it is not to be read
};
/// TIF-1, and TIF-2 with a source.
void check_tiff_header(Report& report, const HeaderCell& cell, const ErrorContext& where);

/// TIF-6, and TIF-1 and TIF-2 of what it holds: the file of headers beside the ZIP or index at `path`, whose ZIPs lie
/// in `base`. Throws IoError.
void check_header_file(Report& report, const Storage& storage, const Container& container, const std::string& path,
                       const std::string& base, bool deep);

/// TIF-3 to TIF-5: the bytes of all FILEs of the dataset at `path`. Throws as load().
void check_samples(Report& report, const std::string& path, const std::string& base_path);

class PitShape;

/// Every row of a section: SCH-3, SCH-4, ID-*, LVL-2 to LVL-7, OFF-1 to OFF-3, MET-*, DIR-1. `shape` learns the tree
/// (PIT-1). False when the files of some rows are unknown.
bool check_rows(Report& report, const Section& section, PitShape& shape);
/// OFF-4 or DIR-3: entries below DATA/ that check_rows() did not see.
void check_unreferenced(Report& report, const Section& section);

/// LVL-1, PIT-3 to PIT-5: the tree that the rows have against that of the collection, which is there; SCH-5 for levels
/// that taco:field_schema alone has.
void check_pit_schema(Report& report, const PitSchema& schema, const PitShape& shape, const Checked& checked,
                      const std::string& path);

/// CAT-6: the places and times of rows [begin, end) against the extent of their source; of a dataset, whose source is
/// "", COL-16.
void check_extent(Report& report, const Extent& extent, const LevelRange& rows, const std::string& source,
                  const ErrorContext& where);

Checked check_zip_dataset(Report& report, const std::shared_ptr<const ByteSource>& archive, const std::string& path,
                          bool deep);
Checked check_folder_dataset(Report& report, const Storage& storage, const std::string& path, bool deep);

/// An index over containers that lie in `base`.
struct Index {
  std::string path = {};  ///< as the user wrote it
  std::string base = {};
  std::string folder = {};  ///< `.tacocat/`, or empty for a file
  std::shared_ptr<const ByteSource> file = {};
};
void check_tacocat(Report& report, const Storage& storage, const Index& index, bool deep);
void check_tacollection(Report& report, const Storage& storage, const Index& index, bool deep);

}  // namespace tacore::validator
