#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "container/container.hpp"
#include "io/byte_source.hpp"
#include "tacore/dataset.hpp"

namespace tacore {

/// The kind of dataset at a path: by the name where that is enough, else by reading.
struct Detected {
  Format format = Format::Zip;
  std::string path;    ///< of the file, of the dataset folder or of `.tacocat/`; no slash at the end
  std::string folder;  ///< the folder of the ZIPs of an index
  /// The opened file, or the COLLECTION.json of a folder, where it was opened to find the folder.
  std::shared_ptr<const ByteSource> source;
  std::shared_ptr<const ByteSource> level0 = {};  ///< of a folder, where it was opened along with `source`
  bool is_folder = false;
  uint64_t num_partitions = 1;  ///< of a Tortilla or TACO before 2.0: files that it is split into
};

/// Opens each remote file once: the file that was opened to see whether it exists is also the one read. For one thread.
class OpenedOnce final : public Storage {
 public:
  /// `storage` must outlive this object.
  explicit OpenedOnce(const Storage& storage) : storage_(storage) {}

  std::shared_ptr<const ByteSource> open(const std::string& path, const ReadHint& hint = {}) const override;
  bool exists(const std::string& path, bool directory = false) const override;
  std::vector<std::shared_ptr<const ByteSource>> open_all(std::span<const std::string> paths,
                                                          std::span<const ReadHint> hints = {}) const override;

 private:
  const Storage& storage_;
  mutable std::map<std::string, std::shared_ptr<const ByteSource>> opened_ = {};
};

/// Finds out what is at `path`. Throws IoError when nothing is there, FormatError when it is no dataset.
Detected detect(const Storage& storage, const std::string& path);

/// Opens any container except TACOLLECTION.json. `base_path` replaces `Detected::folder` unless empty. `verify`:
/// offsets of samples in ZIPs are verified as they are read. `trust_sidecar`: see Container::look_for_sidecars().
std::shared_ptr<const Container> open_container(std::shared_ptr<const Storage> storage, const Detected& at,
                                                const std::string& path, const std::string& base_path,
                                                bool verify = true, bool trust_sidecar = false);

/// load() of the one file or folder `at`, without the other partitions of a dataset.
Dataset open_dataset(const std::string& path, const Detected& at, const LoadOptions& options,
                     std::shared_ptr<const Storage> storage);

/// The paths of all partitions of a dataset, in order; for one that was copied alone its own, with a warning. Throws as
/// load() does.
std::vector<std::string> partition_paths(const Storage& storage, const Detected& at, bool allow_partial);
/// A text that is equal for the paths of all partitions of one dataset.
std::string partition_group(const std::string& path);

Collection read_collection(const Storage& storage, const Detected& at, const std::string& path);

/// The files and folders that a container is read from: its own path, and for an index those that it lists.
std::vector<std::string> files_of(const Container& container);

}  // namespace tacore
