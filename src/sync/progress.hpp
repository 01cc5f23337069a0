#pragma once

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>

#include "base/report.hpp"
#include "tacore/ops/sync.hpp"

namespace tacore {

/// Counts the bytes that a sync has done. Safe from several threads.
class SyncProgress {
 public:
  SyncProgress(const SyncOptions& options, uint64_t num_bytes, std::string path)
      : options_(options), num_bytes_(num_bytes), path_(std::move(path)) {}

  /// Throws IoError when the caller stops the work.
  void add(uint64_t num_bytes) {
    if (!options_.task.progress) return;
    const std::lock_guard lock(mutex_);
    num_done_ += num_bytes;
    report(options_.task, num_done_, num_bytes_, path_);
  }

 private:
  const SyncOptions& options_;
  uint64_t num_bytes_;
  std::string path_;
  std::mutex mutex_;
  uint64_t num_done_ = 0;
};

}  // namespace tacore
