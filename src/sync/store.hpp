#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/sha256.hpp"
#include "model/chunk_manifest.hpp"
#include "writer/staging.hpp"

namespace tacore {

/// The name of a dataset in a store, as users write it: STORE or STORE/NAME.
struct StorePath {
  std::string store = {};
  std::string name = {};  ///< "" when not given
};
/// Parses a path; nothing when it has no store. Throws FormatError for a store of another version.
std::optional<StorePath> find_store(const std::string& path);

/// Creates an empty store. Throws ValidationError when `path` exists and is not an empty folder.
void make_store(const std::string& path);

std::string chunk_path(const std::string& store, const Sha256& hash);
std::string manifest_path(const std::string& store, const std::string& name);
/// The names of the datasets in a store, sorted.
std::vector<std::string> dataset_names(const std::string& store);

/// Writes chunks and a manifest to a store. Safe from several threads.
class StoreWriter {
 public:
  /// Waits while another process writes to the store, and calls `go_on`, which may throw. Removes what an interrupted
  /// writer left. Throws IoError.
  explicit StoreWriter(const std::string& store, const std::function<void()>& go_on = {});
  ~StoreWriter();
  StoreWriter(const StoreWriter&) = delete;
  StoreWriter& operator=(const StoreWriter&) = delete;

  /// Stores a chunk; false when the store already has it. An existing chunk is verified against `bytes`, and replaced
  /// if it is damaged. Throws IoError.
  bool put(const Sha256& hash, std::span<const std::byte> bytes);
  /// Renames all chunks to their final names: what is stored now stays, even if the process ends.
  void commit();
  /// Calls commit() and then writes the manifest. Throws IoError.
  void publish(const std::string& name, const ChunkManifest& manifest);

 private:
  /// Locks the store; false where the file system has no locks.
  bool lock(const std::function<void()>& go_on) const;
  void sync() const;

  std::string store_;
  int lock_ = -1;
  std::optional<StagingDir> draft_;  ///< holds chunks under their hashes until they are synced
  std::mutex mutex_;
  std::set<Sha256> proved_;  ///< chunks of the store that were verified against their bytes
  std::vector<Sha256> pending_;
  uint64_t num_pending_bytes_ = 0;
};

}  // namespace tacore
