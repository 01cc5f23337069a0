#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "tacore/write/parquet_options.hpp"
#include "writer/tree.hpp"

namespace tacore::v1 {

/// The layout of a tree: the location of every sample in the unsplit file. A FOLDER is a nested Tortilla: header, the
/// bytes of its children, and a footer, whose size is known when it is encoded. All its offsets count from its own
/// first byte, so a nested Tortilla has the same bytes wherever it lies. Immutable.
class TortillaPlan {
 public:
  /// Encodes all nested footers on `jobs` threads and keeps them in SpillBuffers, in `temp_dir` when they are many.
  /// `tree` comes from footer_tree() and must outlive the plan. `go_on` is called periodically, from any thread; it may
  /// throw, which stops the work. Throws IoError, FormatError for what Parquet cannot store and for more than 2^63
  /// bytes.
  TortillaPlan(const Tree& tree, const ParquetOptions& parquet, int jobs, const std::string& temp_dir,
               const std::function<void()>& go_on);

  const Tree& tree() const { return tree_; }
  int num_levels() const { return static_cast<int>(levels_.size()); }
  /// For each row of a level, the first byte in the unsplit file, and the number of bytes; for a FOLDER those of the
  /// whole nested Tortilla.
  const std::vector<int64_t>& offsets(int level) const { return levels_[as_size(level)].offsets; }
  const std::vector<int64_t>& sizes(int level) const { return levels_[as_size(level)].sizes; }
  /// The footer of a FOLDER.
  const SpillBuffer& footer(int level, int64_t row) const { return *levels_[as_size(level)].footers[as_size(row)]; }
  /// Tree::first_children of a level that has children.
  const std::vector<int64_t>& first_children(int level) const { return levels_[as_size(level)].first_children; }

 private:
  struct Level {
    std::vector<int64_t> offsets = {}, sizes = {}, first_children = {};
    std::vector<std::shared_ptr<const SpillBuffer>> footers = {};
  };
  void encode_footers(int level, const ParquetOptions& parquet, int jobs, const std::string& temp_dir,
                      const std::function<void()>& go_on);
  void place_among_siblings(int level);

  const Tree& tree_;
  std::vector<Level> levels_;
};

/// One file of a plan: some consecutive roots, and all samples below them.
class TortillaPart {
 public:
  TortillaPart(const TortillaPlan& plan, int64_t begin, int64_t end);

  const TortillaPlan& plan() const { return plan_; }
  /// The rows [first, second) of a level.
  std::pair<int64_t, int64_t> rows(int level) const { return rows_[as_size(level)]; }
  /// The offset of a sample in this file.
  uint64_t offset(int level, int64_t row) const;
  /// The first byte after the samples.
  uint64_t end() const;
  /// The size of its FILEs in bytes.
  uint64_t num_bytes() const;
  /// The footer columns of the rows of a level, with offsets in this file: `tortilla:id`, `tortilla:file_format`,
  /// `tortilla:data_split` if present, `tortilla:offset`, `tortilla:length`, and the others.
  std::shared_ptr<arrow::Table> footer_table(int level) const;

 private:
  const TortillaPlan& plan_;
  std::vector<std::pair<int64_t, int64_t>> rows_;
  int64_t shift_;  ///< bytes of the unsplit file before the first sample of this one
};

}  // namespace tacore::v1
