#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "io/byte_source.hpp"
#include "tacore/dataset.hpp"

namespace tacore {

class Container;

/// The part of the URL of a ViewServer before the paths of ServedFiles.
inline constexpr std::string_view kServedFiles = "files/";

/// Throws QueryError for a dataset with filters or another query, and for given rows: a page shows whole datasets.
void check_whole(const Dataset& dataset);

/// The files of a dataset, with its TIFF index, under the paths by which a server gives them out, and no others. Safe
/// from several threads.
class ServedFiles {
 public:
  /// Throws as check_whole().
  explicit ServedFiles(const Dataset& dataset);

  /// The paths that the page opens, such as "landsat.tacozip", "nested" (a FOLDER) or "index/.tacocat". It shows
  /// several datasets as one.
  const std::vector<std::string>& datasets() const noexcept { return datasets_; }
  /// nullptr for a path that is none of theirs. Throws IoError.
  std::shared_ptr<const ByteSource> open(const std::string& path) const;

 private:
  struct File {
    std::shared_ptr<const Storage> storage = {};
    std::string path = {};
  };

  void add(const Container& container);
  void add_index(const Container& container);
  void add_headers(const std::shared_ptr<const Storage>& storage, const std::string& name, const std::string& path);
  void add_sources(const std::shared_ptr<const Storage>& storage, const std::string& folder, const std::string& name,
                   const std::vector<Source>& sources);
  std::string unused(std::string name) const;
  const File* find(const std::string& path, File& in_folder) const;

  std::vector<std::string> datasets_ = {};
  std::map<std::string, File> files_ = {};    ///< by the path of the server
  std::map<std::string, File> folders_ = {};  ///< FOLDER datasets
  mutable std::mutex mutex_;
  mutable std::map<std::string, std::shared_ptr<const ByteSource>> opened_ = {};
};

}  // namespace tacore
