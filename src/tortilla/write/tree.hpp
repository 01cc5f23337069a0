#pragma once

#include <memory>
#include <string>
#include <vector>

#include "io/byte_source.hpp"
#include "writer/tree.hpp"

namespace tacore::v1 {

/// All samples of the Tortilla or TACO files at `paths`, the partitions of one dataset in order. Nested Tortillas are
/// FOLDERs with their children in the level below, which may differ between samples. Ids are those of the footers, any
/// text; columns have the form of 2.0 (from_footer_columns). `jobs` threads read nested footers, more where they are
/// remote.
///
/// Throws IoError, FormatError and SchemaError as load() does; FormatError also for a sample outside of the data of its
/// container, nested containers that share bytes, and more than kMaxLevels levels.
Tree tree_of_tortillas(const std::shared_ptr<const Storage>& storage, const std::vector<std::string>& paths, int jobs);

/// A nested container: bytes of a file.
struct Nested {
  std::shared_ptr<const Storage> storage = {};
  std::string path = {};
  ByteRange range = {};
};

/// The samples of the nested containers `folders`, which are at `level` (for messages), and all below them, in the same
/// form; TreeLevel::parents of the first level are positions in `folders`. Throws as above.
std::vector<TreeLevel> levels_below(const std::vector<Nested>& folders, int level, int jobs);

}  // namespace tacore::v1
