#include "container/zip_samples.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <numeric>

#include "base/crc32.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "container/zip_directory.hpp"
#include "io/coalesce.hpp"

namespace tacore {
namespace {

constexpr uint64_t kLongestExtra = 0xFFFF;
/// About 50 MB. Samples that are dropped from the set are verified again.
constexpr std::size_t kMostRemembered = 1'000'000;

std::string hex(uint32_t value) {
  std::array<char, 9> out{};
  std::snprintf(out.data(), out.size(), "%08x", value);
  return out.data();
}

std::size_t key_of(ByteRange range, const std::string& name) {
  std::size_t key = std::hash<std::string>()(name);
  for (const uint64_t part : {range.offset, range.size}) key = (key ^ part) * 0x9E3779B97F4A7C15U;
  return key;
}

}  // namespace

// The central directory.

ZipDirectory::ZipDirectory(const ByteSource& archive) {
  const zip::Directory where = directory_of(archive);
  end_ = where.offset;
  entries_ = read_directory(archive, where);
  const auto is_before = [](const auto& a, const auto& b) { return a.local_offset < b.local_offset; };
  if (!std::is_sorted(entries_.begin(), entries_.end(), is_before))
    std::stable_sort(entries_.begin(), entries_.end(), is_before);
}

uint64_t ZipDirectory::payload_of(const ByteSource& archive, std::size_t number) const {
  const zip::CentralEntry& entry = entries_[number];
  const uint64_t next = number + 1 < entries_.size() ? entries_[number + 1].local_offset : end_;
  const uint64_t begin = entry.local_offset + zip::kLocalHeaderSize + entry.name.size();
  // Where the gap to the next entry has exactly the size of header and payload, the offset needs no read.
  if (next >= begin && next - begin == entry.size) return begin;
  return payload_offsets(archive, {&entry, 1}, std::span(&entry, number + 1 < entries_.size() ? 2 : 1))[0];
}

std::optional<ZipPlace> ZipDirectory::find(const ByteSource& archive, const std::string& name) const {
  {
    const std::lock_guard lock(mutex_);
    if (by_name_.size() != entries_.size()) {
      by_name_.resize(entries_.size());
      std::iota(by_name_.begin(), by_name_.end(), std::size_t{0});
      std::stable_sort(by_name_.begin(), by_name_.end(),
                       [&](std::size_t a, std::size_t b) { return entries_[a].name < entries_[b].name; });
    }
  }
  const auto after = std::partition_point(by_name_.begin(), by_name_.end(),
                                          [&](std::size_t number) { return entries_[number].name <= name; });
  if (after == by_name_.begin() || entries_[*(after - 1)].name != name) return std::nullopt;
  const std::size_t number = *(after - 1);
  const zip::CentralEntry& entry = entries_[number];
  if (entry.is_link()) {
    throw FormatError("entry " + in_quotes(name) + " is a symbolic link, data expected",
                      {.path = archive.name(), .offset = entry.local_offset});
  }
  if (!entry.is_stored()) {
    throw FormatError("entry " + in_quotes(name) + " is compressed or encrypted (method " +
                          std::to_string(entry.method) + "), stored expected",
                      {.path = archive.name(), .offset = entry.local_offset});
  }
  return ZipPlace{{payload_of(archive, number), entry.size}, entry.crc32};
}

bool ZipDirectory::holds(const ByteSource& archive, const std::string& name, ByteRange range, std::size_t& near) const {
  const auto is_behind = [&](std::size_t number) { return entries_[number].local_offset < range.offset; };
  // Most rows are in the order of their data.
  const bool is_near =
      near < entries_.size() && is_behind(near) && (near + 1 == entries_.size() || !is_behind(near + 1));
  if (!is_near) {
    const auto next = std::partition_point(entries_.begin(), entries_.end(),
                                           [&](const auto& entry) { return entry.local_offset < range.offset; });
    if (next == entries_.begin()) return false;
    near = static_cast<std::size_t>(next - entries_.begin()) - 1;
  }
  const std::size_t number = near++;
  const zip::CentralEntry& entry = entries_[number];
  if (entry.name != name || entry.size != range.size || !entry.is_stored() || entry.is_link()) return false;
  try {
    return payload_of(archive, number) == range.offset;
  } catch (const FormatError&) {  // find() reports it
    return false;
  }
}

std::shared_ptr<const ZipDirectory> ZipProofs::directory(const ByteSource& archive) const {
  const std::lock_guard lock(mutex_);
  if (!directory_) directory_ = std::make_shared<const ZipDirectory>(archive);
  return directory_;
}

std::shared_ptr<const ZipDirectory> ZipProofs::known_directory() const {
  const std::lock_guard lock(mutex_);
  return directory_;
}

std::shared_ptr<const ZipDirectory> ZipProofs::small_directory(const ByteSource& archive) const {
  if (auto known = known_directory()) return known;
  if (!archive.is_local() && directory_of(archive).size > kSmallDirectory) return nullptr;
  return directory(archive);
}

std::shared_ptr<const ZipDirectory> ZipProofs::directory_at_hand(const ByteSource& archive) const {
  if (auto known = known_directory()) return known;
  const uint64_t size = archive.size();
  if (!archive.is_local()) {
    constexpr uint64_t kEnd = zip::kTailSize + zip::kEnd64RecordSize;
    if (!archive.has({size - std::min(size, kEnd), std::min(size, kEnd)}) &&
        !archive.has({size - std::min(size, kShortTail), std::min(size, kShortTail)})) {
      return nullptr;
    }
    const zip::Directory where = directory_of(archive);
    if (!archive.has({where.offset, where.size})) return nullptr;
  }
  return directory(archive);
}

bool ZipProofs::is_proved(ByteRange range, const std::string& name) const {
  const std::lock_guard lock(mutex_);
  return proved_.contains(key_of(range, name));
}

void ZipProofs::remember(ByteRange range, const std::string& name) const {
  if (!stays_open_) return;
  const std::lock_guard lock(mutex_);
  if (proved_.size() >= kMostRemembered) proved_.clear();
  proved_.insert(key_of(range, name));
}

void ZipProofs::warn_moved(const ByteSource& archive) const {
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(warned_, true)) return;
  }
  log::warning(archive.name() +
               ": internal:offset is permuted or stale; samples are read where the central directory has them");
}

// One sample.

namespace {

/// The range in front of a payload at `offset` that has its local header, with room for an extra field.
ByteRange header_room(uint64_t offset, const std::string& name, uint64_t extra = zip::kFullZip64ExtraSize) {
  const uint64_t size = std::min(offset, zip::kLocalHeaderSize + name.size() + extra);
  return {offset - size, size};
}

/// What a local header states of a payload; with a data descriptor, what the central directory states.
struct Stated {
  uint32_t crc32 = 0;
  std::string fault = {};  ///< why the header is not that of the sample; "" when it is
};

bool is_header_again(std::span<const std::byte> payload, const std::string& name, uint64_t size) {
  for (std::size_t length = zip::kLocalHeaderSize + name.size();
       length <= std::min<uint64_t>(payload.size(), zip::kLocalHeaderSize + name.size() + zip::kFullZip64ExtraSize);
       ++length) {
    if (zip::is_local_header_of(payload.first(length), name, size)) return true;
  }
  return false;
}

/// `before`: the bytes just before `entry.range`; `after`: the first bytes of it that were read.
Stated look_at_header(const ByteSource& archive, const ZipProofs& proofs, const ZipEntry& entry,
                      std::span<const std::byte> before, std::span<const std::byte> after) {
  auto header = zip::local_header_before(before, entry.name);
  if (!header && before.size() < entry.range.offset) {
    const Bytes more = archive.read(header_room(entry.range.offset, entry.name, kLongestExtra));
    header = zip::local_header_before(more, entry.name);
  }
  if (!header) return {.fault = "no local header of " + in_quotes(entry.name) + " in front of its bytes"};
  if (!header->is_stored()) {
    return {.fault = "its entry is compressed or encrypted (method " + std::to_string(header->method) +
                     "), stored expected"};
  }
  const std::string wrong_size = "internal:size is " + std::to_string(entry.range.size) + ", but ";
  if (header->has_descriptor()) {
    const auto place = proofs.directory(archive)->find(archive, entry.name);
    if (!place) return {.fault = "the ZIP has no entry " + in_quotes(entry.name)};
    if (place->range != entry.range) return {.fault = wrong_size + "the central directory has another offset or size"};
    return {.crc32 = place->crc32};
  }
  if (header->size != entry.range.size)
    return {.fault = wrong_size + "its local header states " + std::to_string(header->size)};
  if (is_header_again(after, entry.name, entry.range.size)) return {.fault = "duplicate local header before its data"};
  return {.crc32 = header->crc32};
}

[[noreturn]] void fail(const ByteSource& archive, const ZipEntry& entry, const std::string& what) {
  throw FormatError("sample " + in_quotes(entry.id) + ": " + what,
                    {.path = archive.name(), .offset = entry.range.offset});
}

/// The place of the entry by the central directory. Throws FormatError, which begins with `fault`, where it has none.
ZipPlace place_in_directory(const ByteSource& archive, const ZipProofs& proofs, const ZipEntry& entry,
                            const std::string& fault) {
  std::optional<ZipPlace> place;
  try {
    place = proofs.directory(archive)->find(archive, entry.name);
  } catch (const FormatError& error) {
    fail(archive, entry, fault + ", and the central directory cannot be used: " + error.message());
  }
  if (!place) fail(archive, entry, fault + ", and the ZIP has no entry of that name");
  if (place->range != entry.range) proofs.warn_moved(archive);
  return *place;
}

/// Why the bytes of a sample cannot be where its row says; "" when they can.
std::string why_outside(const ByteSource& archive, ByteRange range) {
  if (range.offset <= archive.size() && range.size <= archive.size() - range.offset) return "";
  return std::to_string(static_cast<int64_t>(range.size)) + " bytes at " +
         std::to_string(static_cast<int64_t>(range.offset)) + " are outside of the file of " +
         std::to_string(archive.size()) + " bytes";
}

/// Reads the local header of a sample in a local archive, with the first bytes of its payload.
Stated look_locally(const ByteSource& archive, const ZipProofs& proofs, const ZipEntry& entry) {
  if (auto why = why_outside(archive, entry.range); !why.empty()) return {.fault = std::move(why)};
  const ByteRange room = header_room(entry.range.offset, entry.name);
  const uint64_t after = std::min(room.size, archive.size() - entry.range.offset);
  const Bytes bytes = archive.read({room.offset, room.size + after});
  const std::span all(bytes);
  return look_at_header(archive, proofs, entry, all.first(room.size), all.subspan(room.size));
}

class ZipSample final : public ByteSource {
 public:
  ZipSample(std::shared_ptr<const ByteSource> archive, std::shared_ptr<const ZipProofs> proofs, ZipEntry entry)
      : archive_(std::move(archive)),
        proofs_(std::move(proofs)),
        entry_(std::move(entry)),
        offset_(entry_.range.offset),
        size_(entry_.range.size) {
    if (archive_->is_local()) {
      prove_locally();
    } else if (const std::string why = why_outside(*archive_, entry_.range); !why.empty()) {
      const ZipPlace place = place_in_directory(*archive_, *proofs_, entry_, why);
      offset_ = place.range.offset;
      size_ = place.range.size;
    } else if (const auto directory = proofs_->known_directory()) {
      // The directory was read because another sample was not where its row says: this one may not be, either.
      if (const auto place = directory->find(*archive_, entry_.name)) {
        offset_ = place->range.offset;
        size_ = place->range.size;
      }
    }
  }

  const std::string& name() const noexcept override { return archive_->name(); }
  uint64_t size() const override { return size_; }
  bool is_local() const noexcept override { return archive_->is_local(); }
  bool has(ByteRange range) const override {
    return range.offset <= size_ && range.size <= size_ - range.offset &&
           archive_->has({offset_ + range.offset, range.size});
  }

  void read(uint64_t offset, std::span<std::byte> out) const override {
    const ByteRange range{offset, out.size()};
    require_inside(range);
    if (needs_header(is_whole(range))) {
      const auto bytes = read_with_header({&range, 1});
      std::copy(bytes[0].begin(), bytes[0].end(), out.begin());
      return;
    }
    archive_->read(offset_ + offset, out);
    if (is_whole(range) && !is_right(out)) {
      const Bytes again = read_again();
      std::copy(again.begin(), again.end(), out.begin());
    }
  }

  std::vector<Bytes> read_ranges(std::span<const ByteRange> ranges) const override {
    for (const ByteRange& range : ranges) require_inside(range);
    if (needs_header(std::any_of(ranges.begin(), ranges.end(), [&](ByteRange r) { return is_whole(r); })))
      return read_with_header(ranges);
    auto out = archive_->read_ranges(inside(ranges));
    check_whole(ranges, out);
    return out;
  }

  /// The range of the archive to read for the whole sample.
  ByteRange reach() const {
    const ByteRange room = header_room(offset_, entry_.name);
    return header_seen_ ? ByteRange{offset_, size_} : ByteRange{room.offset, room.size + size_};
  }
  const std::shared_ptr<const ByteSource>& archive() const noexcept { return archive_; }
  std::optional<uint32_t> stated_crc32() const { return header_seen_ ? std::optional<uint32_t>(crc32_) : std::nullopt; }
  void expect(uint32_t crc) const { expected_ = crc; }

  /// The verified sample, from the bytes of reach().
  Bytes proved(Bytes bytes) const {
    const std::size_t room = bytes.size() - size_;
    const auto payload = std::span(bytes).subspan(room);
    if (room > 0) {
      const ZipEntry entry = here();
      const Stated stated = look_at_header(*archive_, *proofs_, entry, std::span(bytes).first(room), payload);
      if (!stated.fault.empty()) {
        return again_if_moved([&] { return read_again(); });
      }
      accept(entry, stated.crc32);
    }
    if (!is_right(payload)) return read_again();
    bytes.erase(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(room));
    return bytes;
  }

 private:
  bool is_whole(ByteRange range) const { return range.offset == 0 && range.size == size_; }
  /// A part of a verified sample is read without the header; the whole sample needs its CRC-32.
  bool needs_header(bool is_whole) const {
    return !header_seen_ && (is_whole || expected_ >= 0 || !proofs_->is_proved({offset_, size_}, entry_.name));
  }

  ByteRange whole_range() const { return {offset_, size_}; }
  ZipEntry here() const { return {entry_.name, entry_.id, whole_range()}; }

  std::vector<ByteRange> inside(std::span<const ByteRange> ranges) const {
    std::vector<ByteRange> out;
    for (const ByteRange& range : ranges) out.push_back({offset_ + range.offset, range.size});
    return out;
  }

  void accept(const ZipEntry& entry, uint32_t crc) const {
    if (const int64_t expected = expected_; expected >= 0 && expected != crc) {
      fail(*archive_, entry,
           "its entry in the TIFF index does not match the file; `taco index-tiffs` makes a new file");
    }
    const std::lock_guard lock(mutex_);
    crc32_ = crc;
    header_seen_ = true;
    if (!archive_->is_local()) proofs_->remember(entry.range, entry.name);
  }

  /// Moves to the place of the central directory. Throws SampleMoved where the length differs.
  void move_to(const ZipPlace& place) const {
    const std::lock_guard lock(mutex_);
    const bool is_longer_or_shorter = place.range.size != size_;
    offset_ = place.range.offset;
    size_ = place.range.size;
    if (is_longer_or_shorter) fail_moved();
  }
  [[noreturn]] void fail_moved() const {
    throw SampleMoved("sample " + in_quotes(entry_.id) +
                          ": internal:offset and internal:size are those of another sample; it has " +
                          std::to_string(size_) + " bytes at " + std::to_string(offset_),
                      {.path = archive_->name()});
  }

  void prove_locally() {
    Stated stated = look_locally(*archive_, *proofs_, entry_);
    if (!stated.fault.empty()) {
      const ZipPlace place = place_in_directory(*archive_, *proofs_, entry_, stated.fault);
      if (place.range == entry_.range) fail(*archive_, entry_, stated.fault);
      entry_.range = place.range;
      offset_ = place.range.offset;
      size_ = place.range.size;
      stated = look_locally(*archive_, *proofs_, entry_);
      if (!stated.fault.empty()) fail(*archive_, entry_, stated.fault);
    }
    crc32_ = stated.crc32;
    header_seen_ = true;
  }

  std::vector<Bytes> read_with_header(std::span<const ByteRange> ranges) const {
    for (bool is_first = true;; is_first = false) {
      const ZipEntry entry = here();
      std::vector<ByteRange> all{header_room(entry.range.offset, entry.name)};
      for (const ByteRange& range : inside(ranges)) all.push_back(range);
      auto bytes = archive_->read_ranges(all);
      const auto begin = std::find_if(ranges.begin(), ranges.end(), [](ByteRange r) { return r.offset == 0; });
      const auto after = begin == ranges.end()
                             ? std::span<const std::byte>()
                             : std::span<const std::byte>(bytes[1 + static_cast<std::size_t>(begin - ranges.begin())]);
      const Stated stated = look_at_header(*archive_, *proofs_, entry, bytes[0], after);
      if (stated.fault.empty()) {
        accept(entry, stated.crc32);
        bytes.erase(bytes.begin());
        check_whole(ranges, bytes);
        return bytes;
      }
      if (!is_first) fail(*archive_, entry, stated.fault);
      move_to(place_in_directory(*archive_, *proofs_, entry, stated.fault));
    }
  }

  bool is_right(std::span<const std::byte> payload) const { return crc32(payload) == crc32_; }

  void check_whole(std::span<const ByteRange> ranges, std::vector<Bytes>& bytes) const {
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      if (is_whole(ranges[i]) && !is_right(bytes[i])) bytes[i] = read_again();
    }
  }

  /// A server may send the right bytes at the second try. And the CRC-32 of the local header may be wrong where that of
  /// the central directory, which ZIP tools use, is right.
  Bytes read_again() const {
    const ByteRange whole{0, size_};
    if (!header_seen_) return std::move(read_with_header({&whole, 1})[0]);
    Bytes out = archive_->read({offset_, size_});
    if (const uint32_t found = crc32(out); found != crc32_) {
      const std::string fault = "the CRC-32 of its bytes is " + hex(found) + ", " + hex(crc32_) + " expected";
      const ZipPlace place = place_in_directory(*archive_, *proofs_, here(), fault);
      if (place.range != whole_range() || place.crc32 != found) fail(*archive_, here(), fault);
    }
    return out;
  }

  std::shared_ptr<const ByteSource> archive_;
  std::shared_ptr<const ZipProofs> proofs_;
  ZipEntry entry_;
  mutable std::mutex mutex_;
  mutable std::atomic<uint64_t> offset_, size_;
  mutable std::atomic<uint32_t> crc32_ = 0;
  mutable std::atomic<int64_t> expected_ = -1;  ///< the CRC-32 that require_crc32() demands
  mutable std::atomic<bool> header_seen_ = false;
};

}  // namespace

std::shared_ptr<const ByteSource> open_sample(std::shared_ptr<const ByteSource> archive,
                                              std::shared_ptr<const ZipProofs> proofs, ZipEntry entry) {
  return std::make_shared<ZipSample>(std::move(archive), std::move(proofs), std::move(entry));
}

ByteRange prove_place(const ByteSource& archive, const ZipProofs& proofs, const ZipEntry& entry) {
  if (proofs.is_proved(entry.range, entry.name)) return entry.range;
  if (const auto directory = archive.is_local() ? nullptr : proofs.small_directory(archive)) {
    std::size_t near = 0;
    if (directory->holds(archive, entry.name, entry.range, near)) return entry.range;
    const std::string fault = "the entry " + in_quotes(entry.name) + " is not at its internal:offset";
    return place_in_directory(archive, proofs, entry, fault).range;
  }
  const Stated stated = look_locally(archive, proofs, entry);
  if (stated.fault.empty()) {
    proofs.remember(entry.range, entry.name);
    return entry.range;
  }
  const ZipPlace place = place_in_directory(archive, proofs, entry, stated.fault);
  if (place.range == entry.range) fail(archive, entry, stated.fault);
  return place.range;
}

std::optional<uint32_t> stated_crc32(const ByteSource& sample) {
  const auto* in = dynamic_cast<const ZipSample*>(&sample);
  return in ? in->stated_crc32() : std::nullopt;
}

bool require_crc32(const ByteSource& sample, uint32_t expected) {
  const auto* in = dynamic_cast<const ZipSample*>(&sample);
  if (!in) return true;
  if (const auto stated = in->stated_crc32()) return *stated == expected;
  in->expect(expected);
  return true;
}

namespace {

/// The parts of archives that samples are read from, and other sources as they are.
std::vector<std::shared_ptr<const ByteSource>> reaches(std::span<const std::shared_ptr<const ByteSource>> sources) {
  std::vector<std::shared_ptr<const ByteSource>> out;
  for (const auto& source : sources) {
    const auto* sample = dynamic_cast<const ZipSample*>(source.get());
    out.push_back(sample ? slice(sample->archive(), sample->reach()) : source);
  }
  return out;
}

}  // namespace

ReadCost cost_of_samples(std::span<const std::shared_ptr<const ByteSource>> sources) {
  return cost_together(reaches(sources));
}

std::vector<Bytes> read_samples(std::span<const std::shared_ptr<const ByteSource>> sources) {
  auto out = read_together(reaches(sources));
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (const auto* sample = dynamic_cast<const ZipSample*>(sources[i].get()))
      out[i] = sample->proved(std::move(out[i]));
  }
  return out;
}

}  // namespace tacore
