#include "table/bounded_pool.hpp"

#include <arrow/memory_pool.h>

#include <algorithm>
#include <bit>
#include <string>
#include <vector>

namespace tacore {
namespace {

class BoundedPool : public arrow::MemoryPool {
 public:
  explicit BoundedPool(int64_t limit) : limit_(limit) {}

  using MemoryPool::Allocate;
  using MemoryPool::Free;
  using MemoryPool::Reallocate;
  arrow::Status Allocate(int64_t size, int64_t alignment, uint8_t** out) override {
    ARROW_RETURN_NOT_OK(bounded(size));
    return pool_->Allocate(size, alignment, out);
  }
  arrow::Status Reallocate(int64_t old_size, int64_t new_size, int64_t alignment, uint8_t** pointer) override {
    ARROW_RETURN_NOT_OK(bounded(new_size));
    return pool_->Reallocate(old_size, new_size, alignment, pointer);
  }
  void Free(uint8_t* buffer, int64_t size, int64_t alignment) override { pool_->Free(buffer, size, alignment); }
  int64_t bytes_allocated() const override { return pool_->bytes_allocated(); }
  int64_t max_memory() const override { return pool_->max_memory(); }
  int64_t total_bytes_allocated() const override { return pool_->total_bytes_allocated(); }
  int64_t num_allocations() const override { return pool_->num_allocations(); }
  std::string backend_name() const override { return pool_->backend_name(); }

 private:
  arrow::Status bounded(int64_t size) const {
    if (size <= limit_) return arrow::Status::OK();
    return arrow::Status::Invalid("allocation of ", size, " bytes, at most ", limit_,
                                  " allowed for a file of this size");
  }

  arrow::MemoryPool* pool_ = arrow::default_memory_pool();
  int64_t limit_;
};

}  // namespace

// An array keeps a bare pointer to its pool and may outlive its level (a consumer of export_stream() may keep it for
// any time), so there is one pool for each power of two, and none is ever destroyed.
arrow::MemoryPool* bounded_pool(uint64_t file_size) {
  constexpr std::size_t kMaxBits = 40;
  static auto& pools = *[] {
    auto* all = new std::vector<BoundedPool>;
    for (std::size_t bits = 0; bits <= kMaxBits; ++bits)
      all->emplace_back((int64_t{128} << 20) + (int64_t{64} << bits));
    return all;
  }();
  return &pools[std::min<std::size_t>(kMaxBits, static_cast<std::size_t>(std::bit_width(file_size)))];
}

}  // namespace tacore
