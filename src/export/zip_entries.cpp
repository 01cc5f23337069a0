#include "export/zip_entries.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "container/zip_directory.hpp"
#include "container/zip_offsets.hpp"
#include "tacore/error.hpp"
#include "writer/tree_sources.hpp"

namespace tacore {
namespace {

/// Reading a local header costs as much as reading this many entries of the directory, which are consecutive.
constexpr uint64_t kEntriesPerHeader = 16;

/// The local header of `name` that ends at `end`; nullopt when there is none.
std::optional<zip::LocalHeader> header_before(const ByteSource& archive, uint64_t end, const std::string& name) {
  if (end > archive.size()) return std::nullopt;
  const uint64_t size = std::min(end, zip::kLocalHeaderSize + name.size() + zip::kFullZip64ExtraSize);
  return zip::local_header_before(archive.read({end - size, size}), name);
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

/// False when another entry, or none, is at that offset. Throws FormatError as payload_of().
bool ZipEntries::complete(const std::string& name, Payload& payload) {
  const auto take = [&](const auto& entry) {
    if (entry.name != name) return false;
    if (!entry.is_stored()) {
      throw FormatError("entry " + in_quotes(name) + " is compressed or encrypted (method " +
                            std::to_string(entry.method) + "), stored expected",
                        {.path = payload.path, .offset = payload.offset});
    }
    if (entry.size != payload.size) return false;
    payload.crc32 = entry.crc32;
    payload.time = zip::seconds_of({.time = entry.time, .date = entry.date});
    return true;
  };
  if (entries_.empty() && archive_->is_local()) {
    const auto header = header_before(*archive_, payload.offset, name);
    if (header && !header->has_descriptor()) return take(*header);
  }
  const auto* entry = entry_before(payload.offset);
  return entry && take(*entry);
}

Payload ZipEntries::payload_of(const RowAddress& at, ByteRange range, const Payload& whole) {
  const std::string name = entry_name(at.relative_path, SampleType::File);
  Payload out = part_of(whole, range);
  if (complete(name, out)) return out;
  const auto place = proofs_->directory(*archive_)->find(*archive_, name);
  if (!place) {
    throw FormatError("sample " + in_quotes(at.relative_path) + ": the ZIP has no entry " + in_quotes(name),
                      {.path = whole.path, .offset = range.offset});
  }
  proofs_->warn_moved(*archive_);
  out = part_of(whole, place->range);
  if (!complete(name, out)) {
    throw FormatError("sample " + in_quotes(at.relative_path) + ": the local header of " + in_quotes(name) +
                          " and the central directory contradict each other",
                      {.path = whole.path, .offset = place->range.offset});
  }
  return out;
}

}  // namespace tacore
