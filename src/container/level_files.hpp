#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "io/byte_source.hpp"
#include "tacore/collection.hpp"

namespace tacore {

/// Files of a folder that were opened when it was looked for; nullptr for one that is still to be opened.
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
  /// Levels of taco:pit_schema, and how many of them are to be opened along with the dataset: the others may wait until
  /// one is needed.
  int num_levels() const noexcept { return static_cast<int>(paths_.size()) - 1; }
  int num_first_levels() const noexcept { return level0_ ? 1 : num_levels(); }
  const std::string& path(int level) const { return paths_[static_cast<std::size_t>(level) + 1]; }
  /// nullptr when it is not there. Those that are not open are opened at once with the first that is asked for. Throws
  /// as Storage::open_all(), each time, and IoError when the dataset is another one than the one that was opened: after
  /// kMoment, COLLECTION.json and level 0 are opened and compared along with them.
  std::shared_ptr<const ByteSource> open(int level) const;

  /// Less is not looked at: files that are asked for side by side may be of two datasets as well.
  static constexpr std::chrono::seconds kMoment{2};

 private:
  std::vector<std::shared_ptr<const ByteSource>> open_below() const;

  std::shared_ptr<const Storage> storage_;
  Collection collection_;
  std::vector<std::string> paths_;            ///< of COLLECTION.json, and of each level
  std::shared_ptr<const ByteSource> level0_;  ///< nullptr where all levels are to come in one
  Bytes document_;                            ///< COLLECTION.json, where the others may wait
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  mutable std::once_flag opened_ = {};
  mutable std::vector<std::shared_ptr<const ByteSource>> levels_ = {};
};

}  // namespace tacore
