#include "transform/zip_entries.hpp"

#include <algorithm>
#include <optional>

#include "base/text.hpp"
#include "reader/zip_offsets.hpp"
#include "tacore/error.hpp"

namespace tacore {
namespace {

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

ZipEntries::Archive& ZipEntries::archive(const std::string& path) {
  Archive& out = archives_[path];
  if (!out.source) out.source = local_storage()->open(path);
  return out;
}

const zip::CentralEntry* ZipEntries::entry_before(Archive& archive, uint64_t offset) {
  if (archive.entries.empty()) {
    archive.entries = read_directory(*archive.source);
    std::sort(archive.entries.begin(), archive.entries.end(),
              [](const auto& a, const auto& b) { return a.local_offset < b.local_offset; });
  }
  const auto next = std::partition_point(archive.entries.begin(), archive.entries.end(),
                                         [&](const auto& entry) { return entry.local_offset < offset; });
  return next == archive.entries.begin() ? nullptr : &*std::prev(next);
}

void ZipEntries::check(const RowAddress& at, Payload& payload) {
  Archive& in = archive(payload.path);
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
  const auto header = header_before(*in.source, payload.offset, name);
  if (header && (header->flags & kHasDescriptor) == 0) return take(*header);
  const auto* entry = entry_before(in, payload.offset);
  if (!entry) return fail("the ZIP has no entry there");
  if (entry->name != name) fail("the entry there is " + quoted(entry->name));
  take(*entry);
}

}  // namespace tacore
