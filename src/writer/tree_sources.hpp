#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/byte_range.hpp"
#include "tacore/write/sample.hpp"
#include "writer/tree.hpp"

/// Trees from what people have; create.hpp says what becomes of it.
namespace tacore {

Tree tree_of_folder(const std::string& path);
Tree tree_of_table(const std::string& path);
/// `name` is what messages call it; relative paths of samples start from `folder`.
Tree tree_of_table(const std::shared_ptr<arrow::Table>& table, const std::string& name, const std::string& folder);
/// `strict`: all samples of a level must have the same fields.
Tree tree_of_samples(const std::vector<Sample>& samples, bool strict);

/// The FILE at `path`, a file or /vsisubfile/ of one: its size and time. A remote one is opened for that, by the
/// options of set_remote_options(), and has no time. Throws IoError, also for what is no file, SchemaError for NUL
/// bytes in it.
Payload payload_of(const std::string& path);
/// `range` of a FILE, which is not held. Throws IoError when it leaves it.
Payload part_of(const Payload& whole, const ByteRange& range);

}  // namespace tacore
