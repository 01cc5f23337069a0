#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "io/byte_source.hpp"
#include "container/container.hpp"
#include "tacore/dataset.hpp"

namespace tacore {

/// What lies at a path (format dossier 6.1, row 24): by name where the name tells, else by looking.
struct Detected {
  Format format = Format::Zip;
  std::string path;    ///< of the file, of the dataset folder or of `.tacocat/`; no slash at the end
  std::string folder;  ///< where the ZIPs of an index lie
  /// The opened file; of a folder its COLLECTION.json, where finding the folder took opening it.
  std::shared_ptr<const ByteSource> source;
  std::shared_ptr<const ByteSource> level0 = {};  ///< of a folder, where it was opened along with `source`
  bool is_folder = false;
  uint64_t num_partitions = 1;  ///< of a Tortilla or TACO before 2.0: files that it is split into
};

/// Asks for each remote file once: what is opened to see whether it is there is what is read then. For one thread.
class OpenedOnce final : public Storage {
 public:
  /// `storage` outlives it.
  explicit OpenedOnce(const Storage& storage) : storage_(storage) {}

  std::shared_ptr<const ByteSource> open(const std::string& path, const ReadHint& hint = {}) const override;
  bool exists(const std::string& path, bool directory = false) const override;
  std::vector<std::shared_ptr<const ByteSource>> open_all(std::span<const std::string> paths,
                                                          std::span<const ReadHint> hints = {}) const override;

 private:
  const Storage& storage_;
  mutable std::map<std::string, std::shared_ptr<const ByteSource>> opened_ = {};
};

/// Throws IoError when nothing is there, FormatError when it is no dataset.
Detected detect(const Storage& storage, const std::string& path);

/// Opens any container but TACOLLECTION.json. `base_path` replaces `Detected::folder` unless empty. `verify`: samples of
/// ZIPs are proved as they are read.
std::shared_ptr<const Container> open_container(std::shared_ptr<const Storage> storage, const Detected& at,
                                                const std::string& path, const std::string& base_path,
                                                bool verify = true);

/// The paths of all partitions of a dataset, in order; of one that stands alone its own, with a warning. Throws as
/// load() does.
std::vector<std::string> partition_paths(const Storage& storage, const Detected& at, bool allow_partial);
/// The same text for paths of the partitions of one dataset.
std::string partition_group(const std::string& path);

Collection read_collection(const Storage& storage, const Detected& at, const std::string& path);

/// The files and folders that it is read from: its own path, and of an index the ones that it lists.
std::vector<std::string> files_of(const Container& container);

}  // namespace tacore
