#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "io/byte_source.hpp"
#include "tacore/collection.hpp"

namespace tacore {

/// Files of a folder that detection has opened already; nullptr for a file that is still to be opened.
struct FolderFiles {
  std::shared_ptr<const ByteSource> collection;
  std::shared_ptr<const ByteSource> level0;
};

/// COLLECTION.json and the level tables of a folder, in files of their own. Safe from several threads.
class LevelFiles {
 public:
  /// COLLECTION.json lies in `folder`, the tables in `levels`; errors name `path`. Throws as Storage::open() and
  /// parse_collection().
  LevelFiles(std::shared_ptr<const Storage> storage, const std::string& folder, const std::string& levels,
             FolderFiles opened, const std::string& path);

  const Collection& collection() const noexcept { return collection_; }
  /// The number of levels of taco:pit_schema, and of those to open with the dataset: the others are opened when one is
  /// needed.
  int num_levels() const noexcept { return static_cast<int>(paths_.size()) - 1; }
  int num_first_levels() const noexcept { return level0_ ? 1 : num_levels(); }
  const std::string& path(int level) const { return paths_[static_cast<std::size_t>(level) + 1]; }
  /// The table of a level; nullptr when it is absent. The first call opens all tables that are not open, together. Each
  /// call throws as Storage::open_all(), and IoError when the dataset has changed since it was opened: after kMoment,
  /// COLLECTION.json and level 0 are opened again with the others, and compared.
  std::shared_ptr<const ByteSource> open(int level) const;

  /// The time after which a change is checked for. Within a shorter time it cannot be excluded anyway: files that are
  /// opened concurrently may be of two versions as well.
  static constexpr std::chrono::seconds kMoment{2};

 private:
  /// The files of paths_ from this one on.
  std::vector<std::shared_ptr<const ByteSource>> open_from(std::size_t first) const;
  std::vector<std::shared_ptr<const ByteSource>> open_below() const;

  std::shared_ptr<const Storage> storage_;
  Collection collection_;
  std::vector<std::string> paths_;            ///< of COLLECTION.json, and of each level
  std::vector<ReadHint> hints_;               ///< one for each path
  std::shared_ptr<const ByteSource> level0_;  ///< nullptr where all levels are opened together
  Bytes document_;                            ///< COLLECTION.json, when the other levels are opened later
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  mutable std::once_flag opened_ = {};
  mutable std::vector<std::shared_ptr<const ByteSource>> levels_ = {};
};

}  // namespace tacore
