#include "io/block_source.hpp"

#include <algorithm>
#include <list>
#include <mutex>
#include <utility>

namespace tacore {
namespace {

class BlockSource final : public ByteSource {
 public:
  BlockSource(std::shared_ptr<const ByteSource> whole, uint64_t block_size, std::size_t num_blocks)
      : whole_(std::move(whole)), block_size_(block_size), num_blocks_(num_blocks) {}

  const std::string& name() const noexcept override { return whole_->name(); }
  uint64_t size() const override { return whole_->size(); }
  bool is_local() const noexcept override { return whole_->is_local(); }
  bool has(ByteRange range) const override { return whole_->has(range); }
  std::string version() const override { return whole_->version(); }
  uint64_t bytes_of_round_trip() const override { return whole_->bytes_of_round_trip(); }
  ReadCost cost_of(std::span<const ByteRange> ranges) const override { return whole_->cost_of(ranges); }

  void read(uint64_t offset, std::span<std::byte> out) const override {
    require_inside({offset, out.size()});
    if (out.size() > block_size_ || whole_->has({offset, out.size()})) return whole_->read(offset, out);
    const std::lock_guard lock(mutex_);
    while (!out.empty()) {
      const Bytes& block = block_at(offset / block_size_);
      const auto begin = static_cast<std::size_t>(offset % block_size_);
      const auto part = std::span(block).subspan(begin, std::min(out.size(), block.size() - begin));
      std::ranges::copy(part, out.begin());
      out = out.subspan(part.size());
      offset += part.size();
    }
  }

 private:
  /// With the mutex held. The block stays as long as no other one is asked for.
  const Bytes& block_at(uint64_t number) const {
    const auto found = std::ranges::find(blocks_, number, &std::pair<uint64_t, Bytes>::first);
    if (found != blocks_.end()) {
      blocks_.splice(blocks_.begin(), blocks_, found);
    } else {
      const uint64_t begin = number * block_size_;
      blocks_.emplace_front(number, whole_->read({begin, std::min(block_size_, whole_->size() - begin)}));
      if (blocks_.size() > num_blocks_) blocks_.pop_back();
    }
    return blocks_.front().second;
  }

  std::shared_ptr<const ByteSource> whole_;
  uint64_t block_size_;
  std::size_t num_blocks_;
  mutable std::mutex mutex_;
  mutable std::list<std::pair<uint64_t, Bytes>> blocks_ = {};  ///< the one used last first
};

}  // namespace

std::shared_ptr<const ByteSource> in_blocks(std::shared_ptr<const ByteSource> whole, uint64_t block_size,
                                            std::size_t num_blocks) {
  return std::make_shared<BlockSource>(std::move(whole), block_size, num_blocks);
}

}  // namespace tacore
