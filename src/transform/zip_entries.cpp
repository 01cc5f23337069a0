#include "transform/zip_entries.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "io/byte_source.hpp"
#include "reader/zip_offsets.hpp"
#include "tacore/error.hpp"

namespace tacore {

void ZipEntries::check(const RowAddress& at, Payload& payload) {
  const auto [found, is_new] = by_zip_.try_emplace(payload.path);
  auto& entries = found->second;
  if (is_new) {
    entries = read_directory(*local_storage()->open(payload.path));
    std::sort(entries.begin(), entries.end(),
              [](const auto& a, const auto& b) { return a.local_offset < b.local_offset; });
  }
  const auto fail = [&](const std::string& what) {
    throw FormatError("sample " + quoted(at.relative_path) + ": " + what,
                      {.path = payload.path, .offset = payload.offset});
  };
  const auto next = std::partition_point(entries.begin(), entries.end(),
                                         [&](const auto& entry) { return entry.local_offset < payload.offset; });
  if (next == entries.begin()) fail("the ZIP has no entry there");
  const auto& entry = *std::prev(next);
  if (entry.name != entry_name(at.relative_path, SampleType::File)) fail("the entry there is " + quoted(entry.name));
  if (entry.method != 0) fail("its entry is compressed (method " + std::to_string(entry.method) + "), stored expected");
  if (entry.size != payload.size) {
    fail("internal:size is " + std::to_string(payload.size) + ", its entry has " + std::to_string(entry.size) +
         " bytes");
  }
  payload.crc32 = entry.crc32;
  payload.time = zip::seconds_of({.time = entry.time, .date = entry.date});
}

}  // namespace tacore
