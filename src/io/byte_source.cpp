#include "io/byte_source.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "base/checked_math.hpp"
#include "base/threads.hpp"
#include "io/coalesce.hpp"
#include "tacore/error.hpp"
#include "tacore/interrupt.hpp"

namespace tacore {
namespace {

bool is_inside(ByteRange range, uint64_t size) { return range.offset <= size && range.size <= size - range.offset; }

std::string describe(ByteRange range) {
  return std::to_string(range.size) + " bytes at " + std::to_string(range.offset);
}

class Slice final : public ByteSource {
 public:
  Slice(std::shared_ptr<const ByteSource> whole, ByteRange range) : whole_(std::move(whole)), range_(range) {}

  const std::string& name() const noexcept override { return whole_->name(); }
  uint64_t size() const override { return range_.size; }
  bool is_local() const noexcept override { return whole_->is_local(); }
  bool has(ByteRange range) const override {
    return is_inside(range, range_.size) && whole_->has({range_.offset + range.offset, range.size});
  }
  std::string version() const override { return whole_->version(); }

  void read(uint64_t offset, std::span<std::byte> out) const override {
    require_inside({offset, out.size()});
    whole_->read(range_.offset + offset, out);
  }

  std::vector<Bytes> read_ranges(std::span<const ByteRange> ranges) const override {
    return whole_->read_ranges(moved(ranges));
  }
  uint64_t bytes_of_round_trip() const override { return whole_->bytes_of_round_trip(); }
  ReadCost cost_of(std::span<const ByteRange> ranges) const override { return whole_->cost_of(moved(ranges)); }

  const std::shared_ptr<const ByteSource>& whole() const noexcept { return whole_; }
  ByteRange range() const noexcept { return range_; }

 private:
  std::vector<ByteRange> moved(std::span<const ByteRange> ranges) const {
    std::vector<ByteRange> out;
    out.reserve(ranges.size());
    for (const ByteRange& range : ranges) {
      require_inside(range);
      out.push_back({range_.offset + range.offset, range.size});
    }
    return out;
  }

  std::shared_ptr<const ByteSource> whole_;
  ByteRange range_;
};

}  // namespace

ByteSource::~ByteSource() = default;
Storage::~Storage() = default;

std::vector<std::shared_ptr<const ByteSource>> Storage::open_all(std::span<const std::string> paths,
                                                                 std::span<const ReadHint> hints) const {
  std::vector<std::shared_ptr<const ByteSource>> out;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    try {
      out.push_back(open(paths[i], hints.empty() ? ReadHint() : hints[i]));
    } catch (const IoError& error) {
      if (!error.not_found()) throw;
      out.push_back(nullptr);
    }
  }
  return out;
}

void ByteSource::require_inside(ByteRange range) const {
  if (is_inside(range, size())) return;
  throw IoError("read of " + describe(range) + " passes the end at " + std::to_string(size()), {.path = name()});
}

Bytes ByteSource::read(ByteRange range) const {
  require_inside(range);
  Bytes out(narrow<std::size_t>(range.size, "range"));
  if (!out.empty()) read(range.offset, out);
  return out;
}

std::vector<Bytes> ByteSource::read_ranges(std::span<const ByteRange> ranges) const {
  for (const ByteRange& range : ranges) require_inside(range);
  std::vector<Bytes> out(ranges.size());
  for (const MergedRange& merged : coalesce(ranges, kLocalCoalesceGap)) {
    throw_if_interrupted();
    scatter(merged, ranges, read(merged.range), out);
  }
  return out;
}

std::shared_ptr<const ByteSource> slice(std::shared_ptr<const ByteSource> whole, ByteRange range) {
  if (!is_inside(range, whole->size())) {
    throw FormatError(describe(range) + " go beyond the end of the file of " + std::to_string(whole->size()) + " bytes",
                      {.path = whole->name()});
  }
  return std::make_shared<Slice>(std::move(whole), range);
}

namespace {

/// The ranges of one file that several sources have.
struct FileGroup {
  std::shared_ptr<const ByteSource> whole;
  std::vector<ByteRange> ranges;
  std::vector<std::size_t> members;  ///< the numbers of the sources
};

std::vector<FileGroup> by_file(std::span<const std::shared_ptr<const ByteSource>> sources) {
  std::map<std::string, FileGroup> groups;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const auto* part = dynamic_cast<const Slice*>(sources[i].get());
    FileGroup& group = groups[sources[i]->name()];
    if (!group.whole) group.whole = part ? part->whole() : sources[i];
    group.ranges.push_back(part ? part->range() : ByteRange{0, sources[i]->size()});
    group.members.push_back(i);
  }
  std::vector<FileGroup> out;
  for (auto& [name, group] : groups) out.push_back(std::move(group));
  return out;
}

}  // namespace

ReadCost cost_together(std::span<const std::shared_ptr<const ByteSource>> sources) {
  ReadCost out;
  for (const FileGroup& group : by_file(sources)) out += group.whole->cost_of(group.ranges);
  return out;
}

std::vector<Bytes> read_together(std::span<const std::shared_ptr<const ByteSource>> sources) {
  const auto all = by_file(sources);
  std::vector<Bytes> out(sources.size());
  const auto read = [&](std::size_t number) {
    const FileGroup& group = all[number];
    auto bytes = group.whole->read_ranges(group.ranges);
    for (std::size_t i = 0; i < bytes.size(); ++i) out[group.members[i]] = std::move(bytes[i]);
  };
  const bool waits =
      std::any_of(all.begin(), all.end(), [](const FileGroup& group) { return !group.whole->is_local(); });
  if (waits && all.size() > 1) {  // servers are waited for at the same time
    constexpr std::size_t kMostThreads = 16;
    run_parallel(all.size(), static_cast<int>(std::min(all.size(), kMostThreads)), read);
  } else {
    for (std::size_t i = 0; i < all.size(); ++i) read(i);
  }
  return out;
}

}  // namespace tacore
