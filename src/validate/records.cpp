#include <algorithm>
#include <numeric>

#include "base/little_endian.hpp"
#include "base/text.hpp"
#include "validate/zip.hpp"

namespace tacore::validator {
namespace {

constexpr std::size_t kBatch = 4096;
constexpr uint64_t kZip64Extra = 20;      // as a local header has it (APPNOTE 4.5.3)
constexpr uint16_t kEncrypted = 0x0041;   // 4.4.4, bits 0 and 6
constexpr uint16_t kDescriptor = 0x0008;  // bit 3
constexpr uint16_t kKnownFlags = 0x0800;  // bit 11: the name is UTF-8
constexpr uint32_t kMax32 = 0xFFFFFFFF;

/// Compares local headers with central directory entries, in file order.
class Records {
 public:
  Records(Report& report, const ByteSource& archive, const zip::Directory& directory,
          const std::vector<zip::CentralEntry>& entries)
      : report_(report),
        archive_(archive),
        directory_(directory),
        entries_(entries),
        order_(entries.size()),
        payloads_(entries.size()) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::stable_sort(order_.begin(), order_.end(),
                     [&](std::size_t a, std::size_t b) { return entries[a].local_offset < entries[b].local_offset; });
  }

  std::vector<uint64_t> check() {
    for (std::size_t first = 0; first < order_.size(); first += kBatch) {
      check_batch(std::span(order_).subspan(first, std::min(kBatch, order_.size() - first)));
    }
    check_gap(directory_.offset, nullptr);
    return std::move(payloads_);
  }

 private:
  void check_batch(std::span<const std::size_t> batch) {
    std::vector<ByteRange> ranges;
    for (const std::size_t i : batch)
      ranges.push_back(header_range(i, zip::kLocalHeaderSize + entries_[i].name.size() + kZip64Extra));
    auto headers = archive_.read_ranges(ranges);
    for (std::size_t k = 0; k < batch.size(); ++k) check_entry(batch[k], std::move(headers[k]));
  }

  /// The directory was checked to follow all headers, so only the estimate of the extra field can exceed it.
  ByteRange header_range(std::size_t i, uint64_t size) const {
    const uint64_t offset = entries_[i].local_offset;
    return {offset, std::min(size, archive_.size() - offset)};
  }

  void check_entry(std::size_t i, Bytes header) {
    const auto& entry = entries_[i];
    payloads_[i] = entry.local_offset + zip::kLocalHeaderSize + entry.name.size();
    check_stored(entry);
    try {
      Cursor lengths(std::span<const std::byte>(header).subspan(zip::kLocalHeaderSize - 4), "local header");
      const uint64_t name_size = lengths.u16();
      const uint64_t needed = zip::kLocalHeaderSize + name_size + lengths.u16();
      if (needed > header.size()) header = archive_.read(header_range(i, needed));
      const auto local = zip::parse_local_header(header, entry.local_offset);
      payloads_[i] = entry.local_offset + local.header_size;
      compare(entry, local);
    } catch (const FormatError& error) {
      report_.add("ZIP-2", "entry " + in_quotes(entry.name) + ": " + message_of(error), at(entry.local_offset));
    }
    check_gap(entry.local_offset, &entry);
    end_ = std::max(end_, payloads_[i] + entry.compressed_size);
    last_ = i;
  }

  void check_stored(const zip::CentralEntry& entry) {
    if (entry.method != 0) {
      report_.add(
          "ZIP-3",
          "entry " + in_quotes(entry.name) + " is compressed: method " + std::to_string(entry.method) + ", 0 expected",
          at(entry.record_offset));
    }
    if ((entry.flags & kEncrypted) != 0) {
      report_.add("ZIP-4", "entry " + in_quotes(entry.name) + " is encrypted", at(entry.record_offset));
    } else if ((entry.flags & kDescriptor) != 0) {
      report_.add("ZIP-4", "entry " + in_quotes(entry.name) + " has a data descriptor", at(entry.record_offset));
    } else if ((entry.flags & ~kKnownFlags) != 0) {
      report_.add(
          "ZIP-4",
          "entry " + in_quotes(entry.name) + " has the flags " + std::to_string(entry.flags) + ", 0 or 2048 expected",
          at(entry.record_offset));
    }
  }

  void compare(const zip::CentralEntry& entry, const zip::LocalHeader& local) {
    if (local.name != entry.name) {
      report_.add("ZIP-2",
                  "the local header has the name " + in_quotes(local.name) + ", " + in_quotes(entry.name) + " expected",
                  at(entry.local_offset));
    }
    const auto same = [&](const char* what, uint64_t found, uint64_t expected) {
      if (found == expected) return;
      report_.add("ZIP-2",
                  "entry " + in_quotes(entry.name) + ": local header has " + what + " " + std::to_string(found) +
                      ", the central directory " + std::to_string(expected),
                  at(entry.local_offset));
    };
    const uint64_t extra = local.header_size - zip::kLocalHeaderSize - local.name.size();
    if (local.has_odd_zip64) {
      report_.add("ZIP-14",
                  "entry " + in_quotes(entry.name) + ": the ZIP64 field of its local header does not match its sizes",
                  at(entry.local_offset));
    }
    if (local.has_foreign_extra || (extra != 0 && extra != kZip64Extra)) {
      report_.add("ZIP-2",
                  "entry " + in_quotes(entry.name) + ": local header has an extra field of " + std::to_string(extra) +
                      " bytes, none or that of ZIP64 expected",
                  at(entry.local_offset));
    }
    same("method", local.method, entry.method);
    same("flags", local.flags, entry.flags);
    // The offset of an entry can require ZIP64, which only the directory states.
    if (entry.local_offset < kMax32) same("version needed", local.version_needed, entry.version_needed);
    same("time", local.time, entry.time);
    same("date", local.date, entry.date);
    if ((local.flags & kDescriptor) != 0) return;  // 4.4.4: the fields are 0 here
    if (local.crc32 != entry.crc32) {
      report_.add("ZIP-2",
                  "entry " + in_quotes(entry.name) + ": local header has CRC-32 " + hex(local.crc32) +
                      ", the central directory " + hex(entry.crc32),
                  at(entry.local_offset));
    }
    same("compressed size", local.compressed_size, entry.compressed_size);
    same("size", local.size, entry.size);
  }

  /// `offset` is the start of an entry, or of the directory, and must follow the previous entry.
  void check_gap(uint64_t offset, const zip::CentralEntry* entry) {
    if (offset == end_) return;
    const std::string what = entry ? "entry " + in_quotes(entry->name) : "the central directory";
    if (offset < end_) {
      report_.add("ZIP-6",
                  what + " at " + std::to_string(offset) + " overlaps entry " + in_quotes(entries_[last_].name) +
                      ", which ends at " + std::to_string(end_),
                  at(offset));
    } else {
      report_.add("ZIP-7", counted(offset - end_, "unused byte") + " before " + what, at(end_));
    }
  }

  ErrorContext at(uint64_t offset) const { return {.path = archive_.name(), .offset = offset}; }

  Report& report_;
  const ByteSource& archive_;
  const zip::Directory& directory_;
  const std::vector<zip::CentralEntry>& entries_;
  std::vector<std::size_t> order_;
  std::vector<uint64_t> payloads_;
  uint64_t end_ = 0;  ///< of the entries so far
  std::size_t last_ = 0;
};

}  // namespace

std::vector<uint64_t> check_records(Report& report, const ByteSource& archive, const zip::Directory& directory,
                                    const std::vector<zip::CentralEntry>& entries) {
  return Records(report, archive, directory, entries).check();
}

}  // namespace tacore::validator
