#include "transform/zip_entries.hpp"

#include <algorithm>
#include <optional>

#include "base/text.hpp"
#include "reader/zip_offsets.hpp"
#include "tacore/error.hpp"

namespace tacore {
namespace {

/// A local header costs as much as this many entries of a directory, in which they lie together.
constexpr uint64_t kEntriesPerHeader = 16;
constexpr uint16_t kEncrypted = 1;           // APPNOTE 4.4.4
constexpr uint16_t kHasDescriptor = 1 << 3;  // the header has no CRC-32 then

/// The local header of `name` that ends at `end`; nullopt when none does.
std::optional<zip::LocalHeader> header_before(const ByteSource& archive, uint64_t end, const std::string& name) {
  for (const uint64_t extra : {uint64_t{0}, zip::kFullZip64ExtraSize}) {
    const uint64_t size = zip::kLocalHeaderSize + name.size() + extra;
    if (end < size || end > archive.size()) continue;
    const Bytes bytes = archive.read({end - size, size});
    if (zip::is_local_header_of(bytes, name)) return zip::parse_local_header(bytes, end - size);
  }
  return std::nullopt;
}

}  // namespace

void ZipEntries::expect(std::size_t num_samples) {
  if (num_samples == 0 || !entries_.empty()) return;
  num_expected_ += num_samples;
  if (archive_->is_local()) {
    if (!num_entries_) num_entries_ = directory_of(*archive_).num_entries;
    if (num_expected_ < *num_entries_ / kEntriesPerHeader) return;
  }
  read_directory();
}

void ZipEntries::read_directory() {
  entries_ = tacore::read_directory(*archive_);
  const auto is_before = [](const auto& a, const auto& b) { return a.local_offset < b.local_offset; };
  if (!std::is_sorted(entries_.begin(), entries_.end(), is_before))
    std::sort(entries_.begin(), entries_.end(), is_before);
}

const zip::CentralEntry* ZipEntries::entry_before(uint64_t offset) {
  if (entries_.empty()) read_directory();
  const auto next = std::partition_point(entries_.begin(), entries_.end(),
                                         [&](const auto& entry) { return entry.local_offset < offset; });
  return next == entries_.begin() ? nullptr : &*std::prev(next);
}

void ZipEntries::check(const RowAddress& at, Payload& payload) {
  const std::string name = entry_name(at.relative_path, SampleType::File);
  const auto fail = [&](const std::string& what) {
    throw FormatError("sample " + quoted(at.relative_path) + ": " + what,
                      {.path = payload.path, .offset = payload.offset});
  };
  const auto take = [&](const auto& entry) {
    if (entry.method != 0) {
      fail("its entry is compressed (method " + std::to_string(entry.method) + "), stored expected");
    }
    if ((entry.flags & kEncrypted) != 0) fail("its entry is encrypted");
    if (entry.size != payload.size) {
      fail("internal:size is " + std::to_string(payload.size) + ", its entry has " + std::to_string(entry.size) +
           " bytes");
    }
    payload.crc32 = entry.crc32;
    payload.time = zip::seconds_of({.time = entry.time, .date = entry.date});
  };
  if (entries_.empty() && archive_->is_local()) {
    const auto header = header_before(*archive_, payload.offset, name);
    if (header && (header->flags & kHasDescriptor) == 0) return take(*header);
  }
  const auto* entry = entry_before(payload.offset);
  if (!entry) return fail("the ZIP has no entry there");
  if (entry->name != name) fail("the entry there is " + quoted(entry->name));
  take(*entry);
}

}  // namespace tacore
