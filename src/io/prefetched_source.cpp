#include "io/prefetched_source.hpp"

#include <algorithm>
#include <utility>

#include "io/range_map.hpp"

namespace tacore {
namespace {

class PrefetchedSource : public ByteSource {
 public:
  PrefetchedSource(std::shared_ptr<const ByteSource> whole, std::span<const ByteRange> ranges)
      : whole_(std::move(whole)) {
    auto bytes = whole_->read_ranges(ranges);
    for (std::size_t i = 0; i < bytes.size(); ++i) known_.add(ranges[i].offset, std::move(bytes[i]));
  }

  const std::string& name() const noexcept override { return whole_->name(); }
  uint64_t size() const override { return whole_->size(); }
  bool is_local() const noexcept override { return whole_->is_local(); }
  bool has(ByteRange range) const override { return known_.find(range) || whole_->has(range); }
  std::string version() const override { return whole_->version(); }
  uint64_t bytes_of_round_trip() const override { return whole_->bytes_of_round_trip(); }

  const ByteSource& whole() const noexcept { return *whole_; }

  void read(uint64_t offset, std::span<std::byte> out) const override {
    if (const auto part = known_.find({offset, out.size()})) {
      std::copy(part->begin(), part->end(), out.begin());
    } else {
      whole_->read(offset, out);
    }
  }

  std::vector<Bytes> read_ranges(std::span<const ByteRange> ranges) const override {
    return known_.read_ranges(ranges, [&](std::span<const ByteRange> missing) { return whole_->read_ranges(missing); });
  }

  ReadCost cost_of(std::span<const ByteRange> ranges) const override { return whole_->cost_of(known_.missing(ranges)); }

 private:
  std::shared_ptr<const ByteSource> whole_;
  RangeMap known_;
};

}  // namespace

std::shared_ptr<const ByteSource> prefetched(std::shared_ptr<const ByteSource> whole, std::vector<ByteRange> ranges) {
  const uint64_t end = whole->size();
  for (ByteRange& range : ranges) {
    range.offset = std::min(range.offset, end);
    range.size = std::min(range.size, end - range.offset);
  }
  return std::make_shared<PrefetchedSource>(std::move(whole), ranges);
}

const ByteSource& without_prefetched(const ByteSource& source) {
  const auto* prefetched = dynamic_cast<const PrefetchedSource*>(&source);
  return prefetched ? without_prefetched(prefetched->whole()) : source;
}

}  // namespace tacore
