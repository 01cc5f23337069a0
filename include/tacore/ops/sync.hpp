#pragma once

#include <cstdint>
#include <string>

#include "tacore/task.hpp"
#include "tacore/visibility.hpp"

/// Datasets in a chunk store: a folder that keeps each piece of any number of datasets once (docs/format.md).
namespace tacore {

struct SyncOptions {
  Task task = {};
  /// sync_from_store() may replace a dataset, in one step; sync_to_store() another one than an older version of it.
  bool overwrite = false;
};

/// The chunks and bytes that a sync moved, and those that it reused.
struct SyncResult {
  uint64_t num_chunks_moved = 0;
  uint64_t num_bytes_moved = 0;
  uint64_t num_chunks_reused = 0;
  uint64_t num_bytes_reused = 0;
  std::string replaced = {};  ///< what sync_to_store() put an other version, or another dataset, in the place of
};

/// True when there is a store at `path`, or `path` is STORE/NAME, whether that dataset is in it or not.
TACORE_EXPORT bool is_store(const std::string& path);

/// Puts the ZIP or FOLDER at `dataset` into a store, under the name of its file or folder, or, with STORE/NAME,
/// another. A dataset of that name is replaced when it is an older version: it has the same id, and one of its first
/// 100 samples is in this one, too. Only chunks that are not there, or are damaged, are written: those that are there
/// are read and compared. They are synced and given their names batch by batch, the manifest last: what a run that
/// broke off has stored, the next one does not store again. Of a FOLDER every file is kept, with its bytes and its
/// name, but no times, modes and empty folders. A store is made where there is nothing or an empty folder; one sync at
/// a time writes to it, others wait. Memory: a few hundred bytes for each chunk.
///
/// Throws what load() throws; ValidationError when `dataset` is an index, `store` something else or the store has
/// another dataset of that name; FormatError for a store of another version; IoError when something cannot be read or
/// written, or `progress` returned false.
TACORE_EXPORT SyncResult sync_to_store(const std::string& dataset, const std::string& store,
                                       const SyncOptions& options = {});

/// Makes a dataset that is in a store again, byte for byte, whole and synced or not at all. `store` is STORE/NAME, or
/// STORE when it has one dataset, or one with the file name of `dataset`. Every chunk is verified against its SHA-256,
/// and nothing in a store leads out of `dataset`.
///
/// Throws ValidationError before anything is written: `store` is none or has no such dataset, `dataset` is there and
/// may not be replaced, or its name is that of a folder for a ZIP or the other way round. Throws FormatError for a
/// manifest that breaks a rule and a chunk that is missing or damaged; IoError as above.
TACORE_EXPORT SyncResult sync_from_store(const std::string& store, const std::string& dataset,
                                         const SyncOptions& options = {});

}  // namespace tacore
