#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "container/container.hpp"
#include "container/zip_samples.hpp"
#include "io/byte_source.hpp"
#include "table/level_table.hpp"
#include "tacore/pit_schema.hpp"

/// Checks the offsets in level tables against the ZIP itself. Some published files have those of levels 1 and deeper in
/// the wrong order; those of level 0 and of `__meta__` are right.
namespace tacore {

/// The name of a row's entry: DATA/a/b, or DATA/a/b/__meta__ for a FOLDER.
std::string entry_name(std::string_view relative_path, SampleType type);

/// The byte range of the data of a row, from internal:offset and internal:size. Throws NavigationError, which names the
/// dataset `path`, for a row without them.
ByteRange place_of(const RowAddress& row, const std::string& path);
/// The ZIP entry of a row. Throws as place_of().
ZipEntry entry_of(const RowAddress& row, const std::string& path);

/// An open ZIP with samples, and its central directory.
struct OpenDirectory {
  std::shared_ptr<const ByteSource> archive;
  std::shared_ptr<const ZipDirectory> directory;
};

/// A copy of `level` with the offsets and sizes of the central directories; nullptr when those of `level` are the same.
/// `path_of` returns the relative path of a row, `open` the ZIP of a source file ("" where there is only one). Rows
/// without an entry stay as they are, with a warning, and `is_proved` is set to false.
std::shared_ptr<const LevelTable> with_proved_places(
    const LevelTable& level, const std::function<std::string(int64_t row)>& path_of,
    const std::function<OpenDirectory(const std::string& source_file)>& open, bool& is_proved);

/// Warns that the offsets of `level` are used as they are stored, and why.
void warn_unproved(const LevelTable& level, const std::string& why);

}  // namespace tacore
