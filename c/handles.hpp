#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tacore.h"
#include "tacore/dataset.hpp"
#include "tacore/raster/loader.hpp"
#include "tacore/raster/raster.hpp"
#include "tacore/write/sample.hpp"

// The structs that tacore.h declares. Each owns, or shares, all that it needs.

struct tacore_error {
  tacore_status code;
  std::string text;
  std::string path = {};
  int64_t offset = -1;
  int32_t level = -1;
  int32_t system_error = 0;
};

struct tacore_buffer {
  std::string bytes;
};

struct tacore_dataset {
  tacore::Dataset dataset;
};

struct tacore_frame {
  tacore::DataFrame rows;
};

struct tacore_raster {
  std::shared_ptr<const tacore::Raster> raster;
};

struct tacore_samples {
  tacore::Tortilla samples;
};

namespace tacore::c {

/// The memory of freed batches, which the loader uses again: allocating new pages takes much of its time.
class BatchPool {
 public:
  explicit BatchPool(std::size_t most) : most_(most) {}

  Batch take() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) return {};
    Batch out = std::move(free_.back());
    free_.pop_back();
    return out;
  }
  void put(Batch&& batch) {
    const std::lock_guard lock(mutex_);
    if (free_.size() < most_) free_.push_back(std::move(batch));
  }

 private:
  std::mutex mutex_ = {};
  std::vector<Batch> free_ = {};
  std::size_t most_;
};

inline tacore_buffer* buffer_of(std::string bytes) { return new tacore_buffer{std::move(bytes)}; }
inline tacore_buffer* buffer_of(const Bytes& bytes) {
  return new tacore_buffer{std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size())};
}

}  // namespace tacore::c

struct tacore_loader {
  tacore::Loader loader;
  std::shared_ptr<tacore::c::BatchPool> pool;
};

struct tacore_batch {
  tacore::Batch batch;
  std::string failures;
  std::shared_ptr<tacore::c::BatchPool> pool;
};
