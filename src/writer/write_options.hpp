#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "tacore/write/parquet_options.hpp"

namespace tacore {

inline constexpr int kDefaultConcurrentRequests = 100;

/// What the writers of all containers are told.
struct WriteOptions {
  bool overwrite = false;
  int jobs = 1;
  int max_concurrent_requests = kDefaultConcurrentRequests;  ///< requests at a time for samples that are remote, at least 1
  std::string temp_dir = {};  ///< where things are until they get their names; "": beside them
  ParquetOptions parquet = {};
  /// Told how many bytes of samples are written, and asked with the same number while the rest is: it may throw, which
  /// stops the work. Called from one thread at a time.
  std::function<void(uint64_t num_bytes)> progress = {};
};

}  // namespace tacore
