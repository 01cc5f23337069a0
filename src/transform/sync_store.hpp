#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/sha256.hpp"
#include "model/chunk_manifest.hpp"
#include "writer/draft.hpp"

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
  /// Throws IoError, also when another process writes to the store. What one that broke off left is removed.
  explicit StoreWriter(const std::string& store);
  ~StoreWriter();
  StoreWriter(const StoreWriter&) = delete;
  StoreWriter& operator=(const StoreWriter&) = delete;

  /// False when the store has the chunk, or will have it. Throws IoError.
  bool put(const Sha256& hash, std::span<const std::byte> bytes);
  /// Gives all chunks their names: what is stored now stays, whatever comes.
  void commit();
  /// commit(), and then the manifest. Throws IoError.
  void publish(const std::string& name, const ChunkManifest& manifest);

 private:
  void sync() const;

  std::string store_;
  int lock_ = -1;
  std::optional<Draft> draft_;  ///< holds chunks under their hashes until they are synced
  std::mutex mutex_;
  std::vector<Sha256> pending_;
  uint64_t num_pending_bytes_ = 0;
};

}  // namespace tacore
