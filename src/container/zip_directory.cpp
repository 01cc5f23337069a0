#include "container/zip_directory.hpp"

#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "tacore/error.hpp"

namespace tacore {

zip::Directory directory_of(const ByteSource& archive) {
  // The end records, with the last entries; a longer tail is read only when a comment follows the end record.
  const uint64_t size = archive.size();
  for (const uint64_t length : {std::min(size, kShortTail), std::min(size, zip::kTailSize + zip::kEnd64RecordSize)}) {
    const Bytes tail = archive.read({size - length, length});
    try {
      return zip::find_directory(tail, size - length);
    } catch (const FormatError& error) {
      if (length == size || length > kShortTail)
        throw FormatError(error.message(), {.path = archive.name(), .offset = error.context().offset});
    }
  }
  throw FormatError("no end of central directory record", {.path = archive.name()});
}

std::vector<zip::CentralEntry> read_directory(const ByteSource& archive) {
  return read_directory(archive, directory_of(archive));
}

std::vector<zip::CentralEntry> read_directory(const ByteSource& archive, const zip::Directory& where) {
  try {
    return zip::parse_directory(archive.read({where.offset, where.size}), where);
  } catch (const FormatError& error) {
    throw FormatError(error.message(), {.path = archive.name(), .offset = error.context().offset});
  }
}

std::vector<uint64_t> payload_offsets(const ByteSource& archive, std::span<const zip::CentralEntry> entries,
                                      std::span<const zip::CentralEntry> all) {
  std::vector<ByteRange> ranges;
  for (const auto& entry : entries) ranges.push_back({entry.local_offset, zip::kLocalHeaderSize + entry.name.size()});
  std::set<uint64_t> limits;
  for (const auto& entry : all.empty() ? entries : all) limits.insert(entry.local_offset);
  std::vector<uint64_t> out;
  const auto headers = archive.read_ranges(ranges);
  for (std::size_t i = 0; i < headers.size(); ++i) {
    if (entries[i].is_link()) {
      throw FormatError("entry " + in_quotes(entries[i].name) + " is a symbolic link, data expected",
                        {.path = archive.name(), .offset = entries[i].record_offset});
    }
    const auto header_size = zip::local_header_size_at(headers[i], entries[i].name);
    if (!header_size) {
      throw FormatError("no local header of " + in_quotes(entries[i].name),
                        {.path = archive.name(), .offset = entries[i].local_offset});
    }
    const uint64_t payload = entries[i].local_offset + *header_size;
    const auto next = limits.upper_bound(entries[i].local_offset);
    const uint64_t end = next == limits.end() ? archive.size() : *next;
    if (payload > end || entries[i].size > end - payload) {
      throw FormatError("entry " + in_quotes(entries[i].name) +
                            (end == archive.size() ? " ends behind the end of the file" : " overlaps the next entry"),
                        {.path = archive.name(), .offset = payload});
    }
    out.push_back(payload);
  }
  return out;
}

}  // namespace tacore
