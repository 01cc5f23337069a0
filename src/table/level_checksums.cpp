#include "table/level_checksums.hpp"

#include <algorithm>
#include <string>

#include "format/names.hpp"
#include "format/zip_records.hpp"
#include "tacore/error.hpp"

namespace tacore {

std::vector<uint32_t> level_checksums(const ByteSource& zip) {
  constexpr uint64_t kTail = 4096;  // more than eight entries and the end records
  const uint64_t size = std::min(zip.size(), kTail);
  const ByteRange tail{zip.size() - size, size};
  if (!zip.has(tail)) return {};
  std::vector<zip::CentralEntry> entries;
  try {
    const Bytes bytes = zip.read(tail);
    const zip::Directory directory = zip::find_directory(bytes, tail.offset);
    const uint64_t begin = std::max(directory.offset, tail.offset), end = directory.offset + directory.size;
    if (begin >= end) return {};
    const auto records = std::span(bytes).subspan(begin - tail.offset, end - begin);
    entries =
        begin == directory.offset ? zip::parse_directory(records, directory) : zip::last_entries(records, directory);
  } catch (const FormatError&) {
    return {};  // an archive comment, or no ZIP: readers of the data report it
  }
  std::vector<uint32_t> out;
  for (const auto file : names::kLevelFiles) {
    const std::string name = std::string(names::kMetadata).append(file);
    const auto found = std::ranges::find(entries, name, &zip::CentralEntry::name);
    if (found == entries.end()) break;
    out.push_back(found->crc32);
  }
  return out;
}

}  // namespace tacore
