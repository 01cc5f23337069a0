#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/byte_range.hpp"
#include "tacore/write/sample.hpp"
#include "writer/tree.hpp"

/// Trees from the inputs of create(), which create.hpp describes.
namespace tacore {

Tree tree_of_folder(const std::string& path);
Tree tree_of_table(const std::string& path, const TableOptions& options);
/// Of a table in memory, whose column `data` may hold the bytes of FILEs. Relative paths start from the working folder.
Tree tree_of_rows(const std::shared_ptr<arrow::Table>& table, const TableOptions& options);
/// `strict`: all samples of a level must have the same fields.
Tree tree_of_samples(const std::vector<Sample>& samples, bool strict);

/// The FILE at `path`, a file or a /vsisubfile/ of one, with its size and time. A remote one is opened, with the
/// options of set_remote_options(), and has no time. Throws IoError, also for what is no file, SchemaError for NUL
/// bytes in the path.
Payload payload_of(const std::string& path);
/// The FILE of these bytes, which a SpillBuffer holds.
Payload payload_of(Bytes bytes, const std::string& temp_dir);
/// `range` of a FILE, which must not be in a SpillBuffer. Throws IoError for a range outside of it.
Payload part_of(const Payload& whole, const ByteRange& range);

}  // namespace tacore
