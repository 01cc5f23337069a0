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

/// A dataset in a store, as users name it: STORE or STORE/NAME.
struct StorePath {
  std::string store = {};
  std::string name = {};  ///< "" when not given
};
/// Nothing when there is no store. Throws FormatError for one of another version.
std::optional<StorePath> find_store(const std::string& path);

/// Makes an empty store. Throws ValidationError when there is something at `path`, other than an empty folder.
void make_store(const std::string& path);

std::string chunk_path(const std::string& store, const Sha256& hash);
std::string manifest_path(const std::string& store, const std::string& name);
/// Of its datasets, sorted.
std::vector<std::string> dataset_names(const std::string& store);

/// Stores chunks and a manifest. Safe from several threads.
class StoreWriter {
 public:
  /// While another writes to the store it waits, and calls `go_on`, which may throw. What one that broke off left is
  /// removed. Throws IoError.
  explicit StoreWriter(const std::string& store, const std::function<void()>& go_on = {});
  ~StoreWriter();
  StoreWriter(const StoreWriter&) = delete;
  StoreWriter& operator=(const StoreWriter&) = delete;

  /// False when the store has the chunk, or will have it. What is there is held against `bytes`, and replaced where it
  /// is damaged. Throws IoError.
  bool put(const Sha256& hash, std::span<const std::byte> bytes);
  /// Gives all chunks their names: what is stored now stays, whatever comes.
  void commit();
  /// commit(), and then the manifest. Throws IoError.
  void publish(const std::string& name, const ChunkManifest& manifest);

 private:
  /// False where there are no locks.
  bool lock(const std::function<void()>& go_on) const;
  void sync() const;

  std::string store_;
  int lock_ = -1;
  std::optional<StagingDir> draft_;  ///< holds chunks under their hashes until they are synced
  std::mutex mutex_;
  std::set<Sha256> proved_;  ///< chunks of the store that were held against their bytes
  std::vector<Sha256> pending_;
  uint64_t num_pending_bytes_ = 0;
};

}  // namespace tacore
