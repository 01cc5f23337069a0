#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "tacore/write/parquet_options.hpp"

namespace tacore {

inline constexpr int kDefaultConcurrentRequests = 100;

/// Options of the writers of all containers.
struct WriteOptions {
  bool overwrite = false;
  int jobs = 1;
  int max_concurrent_requests =
      kDefaultConcurrentRequests;  ///< requests at a time for samples that are remote, at least 1
  std::string temp_dir = {};       ///< folder for unfinished output; "": beside the output
  ParquetOptions parquet = {};
  std::string order = {};  ///< of the rows of level 0 of an index (table/row_order.hpp); "": part by part
  /// Progress callback: the number of bytes of samples written so far, repeated while the rest is written. It may
  /// throw, which stops the work. Called from one thread at a time.
  std::function<void(uint64_t num_bytes)> progress = {};
};

}  // namespace tacore
