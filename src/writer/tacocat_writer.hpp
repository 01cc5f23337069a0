#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "model/collection_merge.hpp"
#include "model/source_bounds.hpp"
#include "table/merge_levels.hpp"
#include "writer/write_options.hpp"

namespace tacore {

/// A part of an index, open.
struct IndexPart {
  Collection collection = {};
  std::vector<std::shared_ptr<const LevelTable>> levels = {};  ///< one for each level of its tree
  std::vector<uint32_t> level_crc32s = {};                     ///< level_checksums() of a ZIP
  SourceBounds bounds = {};
};

/// The parts of an index, opened when they are read and not kept open. Called from several threads.
struct IndexParts {
  std::vector<std::string> files = {};  ///< their names in the index
  std::vector<std::string> paths = {};  ///< for messages
  std::function<IndexPart(std::size_t part)> open = {};
  /// Opens a level with verified offsets.
  std::function<std::shared_ptr<const LevelTable>(std::size_t part, int level)> open_level = {};
};

/// An index before it is written.
struct Index {
  Collection collection = {};
  std::vector<MergedLevel> levels = {};
  std::vector<std::vector<uint32_t>> level_crc32s = {};  ///< IndexPart::level_crc32s of each part
  std::vector<SourceBounds> bounds = {};                 ///< of each part; empty unless they were asked for

  uint64_t num_bytes() const;  ///< of the levels of all parts
};

/// Opens all parts, at least one, and reads their collections and footers. Errors are those of CollectionMerge and
/// MergedLevel. `progress` gets the bytes of the levels found so far, and may throw. `with_bounds`: the bounds of all
/// rows are read.
Index merge_parts(const IndexParts& parts, const MergeRules& rules, int jobs,
                  const std::function<void(uint64_t num_bytes)>& progress = {}, bool with_bounds = false);

/// Writes an index as the files of a new folder `.tacocat` in `folder`. Of `options`, jobs, parquet, order and
/// progress are used. Throws IoError, and what merge_levels() throws.
void write_tacocat_folder(const Index& index, const IndexParts& parts, const std::string& folder,
                          const WriteOptions& options);

/// Writes an index as one file (§6.5), which appears at `target` when it is complete.
void write_tacocat_file(const Index& index, const IndexParts& parts, const std::string& target,
                        const WriteOptions& options);

/// Writes the index of TACO ZIPs that create() made in one folder, as the folder `.tacocat` beside them, which must not
/// exist.
void write_tacocat(const std::vector<std::string>& zips, const WriteOptions& options);

}  // namespace tacore
