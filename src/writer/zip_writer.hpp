#pragma once

#include <string>
#include <string_view>

#include "tacore/collection.hpp"
#include "writer/tree.hpp"
#include "writer/write_options.hpp"

namespace tacore {

/// Writes `tree`, which check_tree() has passed, as a TACO ZIP (§6.3) in one pass: offsets are planned from sizes,
/// every sample is read once, and the file appears when it is complete. `collection` is COLLECTION.json. Throws
/// IoError; FormatError for a name that no ZIP can store.
void write_zip(const Tree& tree, std::string_view collection, const std::string& target, const WriteOptions& options);

}  // namespace tacore
