#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "format/zip_records.hpp"
#include "io/byte_source.hpp"
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

/// All entries of an archive: two reads, three when the directory is long.
std::vector<zip::CentralEntry> read_directory(const ByteSource& archive);

/// Where the payload of each entry starts, found by its local header. Throws FormatError where that is not there, the
/// payload would reach into the next of `all` entries of the archive (none: of these), or the entry is a link.
std::vector<uint64_t> payload_offsets(const ByteSource& archive, std::span<const zip::CentralEntry> entries,
                                      std::span<const zip::CentralEntry> all = {});

/// True when the offsets of a level are right, judged by their order, since a permutation moves whole columns: data are
/// laid out in row order, so the offsets of FILE rows ascend; `__meta__` in the order of their paths with a slash at
/// the end (dossier 1.1), which decides for a level of FOLDERs only. Within each source file. `path_of` gives a row's
/// relative path.
bool offsets_in_order(const LevelTable& level, const std::function<std::string(int64_t row)>& path_of);

/// True when the local header just before `range` is that of `name`, and states its size.
bool is_entry_at(const ByteSource& archive, ByteRange range, std::string_view name);
/// Throws FormatError unless is_entry_at(). `id` is what the caller asked for.
void require_entry_at(const ByteSource& archive, ByteRange range, std::string_view name, std::string_view id);

/// A copy of `level` with offsets and sizes from the central directories. `path_of` gives a row's relative path,
/// `archive_of` the ZIP of a source file ("" where there is only one). Throws FormatError for a row that has no entry.
std::shared_ptr<const LevelTable> repair_offsets(
    const LevelTable& level, const std::function<std::string(int64_t row)>& path_of,
    const std::function<std::shared_ptr<const ByteSource>(const std::string& source_file)>& archive_of);

}  // namespace tacore
