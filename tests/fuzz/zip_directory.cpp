#include <algorithm>

#include "format/zip_records.hpp"
#include "fuzz.hpp"

/// The input is the end of an archive.
namespace tacore::fuzz {
namespace {

void check(const zip::Directory& where, std::span<const zip::CentralEntry> entries) {
  require(entries.size() == where.num_entries, "as many entries as counted");
  for (const auto& entry : entries) {
    require(entry.local_offset < where.offset, "an entry lies before the directory");
  }
}

void run(Input tail) {
  // An archive that is all there, and one whose first gigabytes are not.
  for (const uint64_t offset : {uint64_t{0}, uint64_t{5} << 30}) {
    expect_errors_only([&] {
      const zip::Directory where = zip::find_directory(tail, offset);
      require(where.offset + where.size <= offset + tail.size(), "the directory lies in the archive");
      const uint64_t begin = std::max(where.offset, offset), end = where.offset + where.size;
      if (begin < end) {
        for (const auto& entry : zip::last_entries(tail.subspan(begin - offset, end - begin), where)) {
          require(entry.local_offset < where.offset, "one of the last entries lies before the directory");
        }
      }
      if (where.offset < offset) return;
      check(where, zip::parse_directory(tail.subspan(where.offset - offset, where.size), where));
    });
  }
}

}  // namespace
}  // namespace tacore::fuzz

TACORE_FUZZ_TARGET(tacore::fuzz::run)
