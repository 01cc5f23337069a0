#include "io/prefetched_source.hpp"

#include <algorithm>
#include <cstring>

namespace tacore {
namespace {

class PrefetchedSource : public ByteSource {
 public:
  PrefetchedSource(std::shared_ptr<const ByteSource> whole, std::vector<ByteRange> ranges)
      : whole_(std::move(whole)), ranges_(std::move(ranges)), bytes_(whole_->read_ranges(ranges_)) {}

  const std::string& name() const noexcept override { return whole_->name(); }
  uint64_t size() const override { return whole_->size(); }
  bool is_local() const noexcept override { return whole_->is_local(); }

  void read(uint64_t offset, std::span<std::byte> out) const override {
    for (std::size_t i = 0; i < ranges_.size(); ++i) {
      const ByteRange& range = ranges_[i];
      if (offset < range.offset || offset - range.offset > range.size) continue;
      const uint64_t skip = offset - range.offset;
      if (range.size - skip < out.size()) continue;
      std::copy_n(bytes_[i].begin() + static_cast<std::ptrdiff_t>(skip), out.size(), out.begin());
      return;
    }
    whole_->read(offset, out);
  }

  std::vector<Bytes> read_ranges(std::span<const ByteRange> ranges) const override {
    return whole_->read_ranges(ranges);
  }

 private:
  std::shared_ptr<const ByteSource> whole_;
  std::vector<ByteRange> ranges_;
  std::vector<Bytes> bytes_;
};

}  // namespace

std::shared_ptr<const ByteSource> prefetched(std::shared_ptr<const ByteSource> whole, std::vector<ByteRange> ranges) {
  const uint64_t end = whole->size();
  for (ByteRange& range : ranges) {
    range.offset = std::min(range.offset, end);
    range.size = std::min(range.size, end - range.offset);
  }
  return std::make_shared<PrefetchedSource>(std::move(whole), std::move(ranges));
}

}  // namespace tacore
