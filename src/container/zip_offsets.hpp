#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "format/zip_records.hpp"
#include "io/byte_source.hpp"
#include "container/zip_samples.hpp"
#include "table/level_table.hpp"
#include "tacore/pit_schema.hpp"

/// Offsets that level tables state, against the ZIP itself. Published writers permute those of levels 1 and deeper
/// (dossier 1.5); those of level 0 and of `__meta__` are right.
namespace tacore {

/// The name of a row's entry: DATA/a/b, or DATA/a/b/__meta__ for a FOLDER.
std::string entry_name(std::string_view relative_path, SampleType type);

/// Where the central directory of an archive is, and how many entries it has: one read, two when a comment is long.
/// Throws IoError, and FormatError where there is none.
zip::Directory directory_of(const ByteSource& archive);

/// The last bytes of an archive in which its end records are looked for first.
inline constexpr uint64_t kShortTail = 4096;

/// All entries of an archive: two reads, three when the directory is long.
std::vector<zip::CentralEntry> read_directory(const ByteSource& archive);
/// The same, where directory_of() has found them.
std::vector<zip::CentralEntry> read_directory(const ByteSource& archive, const zip::Directory& where);

/// Where the payload of each entry starts, found by its local header. Throws FormatError where that is not there, the
/// payload would reach into the next of `all` entries of the archive (none: of these), or the entry is a link.
std::vector<uint64_t> payload_offsets(const ByteSource& archive, std::span<const zip::CentralEntry> entries,
                                      std::span<const zip::CentralEntry> all = {});

/// A ZIP that samples lie in, and its directory.
struct OpenDirectory {
  std::shared_ptr<const ByteSource> archive;
  std::shared_ptr<const ZipDirectory> directory;
};

/// A copy of `level` with the offsets and sizes that the central directories have; nullptr when they are its own.
/// `path_of` gives a row's relative path, `open` the ZIP of a source file ("" where there is only one). Rows that have
/// no entry stay as they are, with a warning, and `is_proved` is set to false.
std::shared_ptr<const LevelTable> with_proved_places(
    const LevelTable& level, const std::function<std::string(int64_t row)>& path_of,
    const std::function<OpenDirectory(const std::string& source_file)>& open, bool& is_proved);

/// Says that offsets of `level` are handed out as they are stored, and why.
void warn_unproved(const LevelTable& level, const std::string& why);

}  // namespace tacore
