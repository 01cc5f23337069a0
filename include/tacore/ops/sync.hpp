#pragma once

#include <cstdint>
#include <string>

#include "tacore/task.hpp"
#include "tacore/visibility.hpp"

/// Chunk stores: a chunk store is a folder with any number of datasets, which stores each chunk of bytes that they have
/// in common once (docs/format.md).
///
///     sync_to_store("chips.tacozip", "backup");              // or "backup/chips-2024.tacozip", under another name
///     sync_from_store("backup/chips.tacozip", "again.tacozip");
namespace tacore {

/// Options of sync_to_store() and sync_from_store().
struct SyncOptions {
  Task task = {};
  /// sync_from_store() may replace an existing dataset, atomically; sync_to_store() may replace a dataset of the same
  /// name that is not an older version of the new one.
  bool overwrite = false;
};

/// The number of chunks and bytes that a sync copied, and of those that it reused.
struct SyncResult {
  uint64_t num_chunks_moved = 0;
  uint64_t num_bytes_moved = 0;
  uint64_t num_chunks_reused = 0;
  uint64_t num_bytes_reused = 0;
  /// Name of the dataset in the store that sync_to_store() replaced; "": none.
  std::string replaced = {};
};

/// True when `path` is a chunk store, or STORE/NAME, whether the store has a dataset of that name or not.
TACORE_EXPORT bool is_store(const std::string& path);

/// Stores the ZIP or FOLDER at `dataset` in a chunk store, under the name of its file or folder, or, with STORE/NAME,
/// under that name. A dataset of that name is replaced when it is an older version: it has the same id, and one of its
/// first 100 samples is also in the new one. A store is created when `store` does not exist or is an empty folder.
///
/// Only chunks that are missing or damaged are written; existing ones are read and compared. Chunks are flushed to disk
/// and renamed in batches, the manifest last: a new run after an interruption reuses what was stored. Of a FOLDER, all
/// files are stored with their names and bytes, but not their times, modes and empty folders. One sync at a time writes
/// to a store; others wait. Memory: a few hundred bytes for each chunk.
///
/// Throws what load() throws; ValidationError when `dataset` is an index, when `store` is something else, and when the
/// store has another dataset of that name; FormatError for a store of another version; IoError when a file cannot be
/// read or written, or `progress` returned false.
TACORE_EXPORT SyncResult sync_to_store(const std::string& dataset, const std::string& store,
                                       const SyncOptions& options = {});

/// Restores a dataset from a chunk store, byte for byte. `store` is STORE/NAME, or STORE when it has only one dataset,
/// or one with the file name of `dataset`. The output is written under a temporary name, flushed to disk and renamed.
/// Every chunk is verified against its SHA-256, and nothing is written outside of `dataset`, whatever the store
/// contains.
///
/// Throws ValidationError, before anything is written, when `store` is not a store or has no such dataset, when
/// `dataset` exists and `overwrite` is not set, and when its name is that of a folder for a ZIP or the reverse;
/// FormatError for a manifest that breaks a rule and for a chunk that is missing or damaged; IoError as above.
TACORE_EXPORT SyncResult sync_from_store(const std::string& store, const std::string& dataset,
                                         const SyncOptions& options = {});

}  // namespace tacore
