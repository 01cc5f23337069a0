#include "io/prefetched_source.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace tacore {
namespace {

class PrefetchedSource : public ByteSource {
 public:
  PrefetchedSource(std::shared_ptr<const ByteSource> whole, std::vector<ByteRange> ranges)
      : whole_(std::move(whole)), ranges_(std::move(ranges)), bytes_(whole_->read_ranges(ranges_)) {}

  const std::string& name() const noexcept override { return whole_->name(); }
  uint64_t size() const override { return whole_->size(); }
  bool is_local() const noexcept override { return whole_->is_local(); }
  bool has(ByteRange range) const override { return find(range).has_value() || whole_->has(range); }

  const ByteSource& whole() const noexcept { return *whole_; }

  void read(uint64_t offset, std::span<std::byte> out) const override {
    if (const auto part = find({offset, out.size()})) {
      std::copy(part->begin(), part->end(), out.begin());
    } else {
      whole_->read(offset, out);
    }
  }

  std::vector<Bytes> read_ranges(std::span<const ByteRange> ranges) const override {
    std::vector<Bytes> out(ranges.size());
    std::vector<ByteRange> missing;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      if (const auto part = find(ranges[i])) {
        out[i].assign(part->begin(), part->end());
      } else {
        missing.push_back(ranges[i]);
        places.push_back(i);
      }
    }
    auto bytes = missing.empty() ? std::vector<Bytes>() : whole_->read_ranges(missing);
    for (std::size_t i = 0; i < bytes.size(); ++i) out[places[i]] = std::move(bytes[i]);
    return out;
  }

 private:
  std::optional<std::span<const std::byte>> find(ByteRange wanted) const {
    for (std::size_t i = 0; i < ranges_.size(); ++i) {
      const ByteRange& range = ranges_[i];
      if (wanted.offset < range.offset || wanted.offset - range.offset > range.size) continue;
      const uint64_t skip = wanted.offset - range.offset;
      if (range.size - skip < wanted.size) continue;
      return std::span(bytes_[i]).subspan(static_cast<std::size_t>(skip), static_cast<std::size_t>(wanted.size));
    }
    return std::nullopt;
  }

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

const ByteSource& without_prefetched(const ByteSource& source) {
  const auto* prefetched = dynamic_cast<const PrefetchedSource*>(&source);
  return prefetched ? without_prefetched(prefetched->whole()) : source;
}

}  // namespace tacore
