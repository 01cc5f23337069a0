#include "table/page_check.hpp"

#include <algorithm>

#include "base/little_endian.hpp"

namespace tacore {
namespace {

// The size of the first read of a header, enough for most; those with long statistics take another read.
constexpr uint64_t kHeaderGuess = 256;
constexpr uint64_t kBlock = 128 * 1024;
// A page that decompresses to more than this many times its size must be announced by the footer.
constexpr uint64_t kUnannouncedGrowth = 64;
constexpr uint64_t kUnannouncedSize = 1 << 20;
// The largest page, whatever the footer states; usual pages are about a megabyte.
constexpr uint64_t kMaxPage = 64 << 20;
// Some writers omit the header of the dictionary when they add up the pages of a column.
constexpr uint64_t kUncounted = 100;
constexpr int kMaxNesting = 16;
// A header contains the minimum and maximum of its page; no reader accepts a longer one.
constexpr uint64_t kMaxHeader = 16 << 20;

/// Thrown where a header is longer than the bytes.
struct Cut {};

/// Decodes Thrift's compact protocol, of which a header uses numbers, flags, texts, lists and structures.
class HeaderParser {
 public:
  explicit HeaderParser(std::span<const std::byte> bytes) : bytes_(bytes) {}

  PageSizes parse() {
    structure(0);
    out_.header = static_cast<int64_t>(at_);
    return out_;
  }

 private:
  enum Type { kStop, kTrue, kFalse, kByte, kInt16, kInt32, kInt64, kDouble, kBinary, kList, kSet, kMap, kStruct };
  // Fields of PageHeader, and the first field of its DataPageHeader, DictionaryPageHeader and DataPageHeaderV2.
  enum Field { kUncompressed = 2, kCompressed = 3, kData = 5, kDictionary = 7, kDataV2 = 8, kNumValues = 1 };

  uint8_t byte() {
    if (at_ == bytes_.size()) throw Cut();
    return static_cast<uint8_t>(bytes_[at_++]);
  }
  void skip(uint64_t count) {
    if (count > bytes_.size() - at_) throw Cut();
    at_ += count;
  }
  uint64_t varint() {
    uint64_t out = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const uint8_t b = byte();
      out |= static_cast<uint64_t>(b & 0x7f) << shift;
      if (b < 0x80) return out;
    }
    throw FormatError("a number of more than 64 bits", {.offset = at_});
  }
  int64_t number() {
    const uint64_t zigzag = varint();
    return static_cast<int64_t>(zigzag >> 1) ^ -static_cast<int64_t>(zigzag & 1);
  }

  void structure(int nesting) {
    if (nesting > kMaxNesting) throw FormatError("nested too deep", {.offset = at_});
    int64_t field = 0;
    for (;;) {
      const uint8_t head = byte();
      if ((head & 0x0f) == kStop) return;
      field = head >> 4 != 0 ? field + (head >> 4) : number();
      if (nesting == 0) outer_ = field;
      value(head & 0x0f, nesting, field);
    }
  }

  void value(int type, int nesting, int64_t field) {
    switch (type) {
      case kTrue:
      case kFalse: return;
      case kByte: return skip(1);
      case kDouble: return skip(8);
      case kBinary: return skip(varint());
      case kInt16:
      case kInt32:
      case kInt64: return keep(nesting, field, number());
      case kList:
      case kSet: return list(nesting);
      case kStruct: return structure(nesting + 1);
      default: throw FormatError("an unknown type " + std::to_string(type), {.offset = at_});
    }
  }

  void list(int nesting) {
    if (nesting > kMaxNesting) throw FormatError("nested too deep", {.offset = at_});
    const uint8_t head = byte();
    const uint64_t count = head >> 4 == 15 ? varint() : head >> 4;
    for (uint64_t i = 0; i < count; ++i) {
      // A flag takes a byte in a list and none in a field.
      if ((head & 0x0f) == kTrue || (head & 0x0f) == kFalse) {
        skip(1);
      } else {
        value(head & 0x0f, nesting + 1, 0);
      }
    }
  }

  void keep(int nesting, int64_t field, int64_t value) {
    if (nesting == 0 && field == kUncompressed) out_.uncompressed = value;
    if (nesting == 0 && field == kCompressed) out_.compressed = value;
    if (nesting == 1 && outer_ == kDictionary && field == kNumValues) out_.dictionary_values = value;
    if (nesting == 1 && (outer_ == kData || outer_ == kDataV2) && field == kNumValues) out_.values = value;
  }

  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;
  int64_t outer_ = 0;
  PageSizes out_;
};

}  // namespace

std::optional<PageSizes> parse_page_header(std::span<const std::byte> bytes) {
  try {
    return HeaderParser(bytes).parse();
  } catch (const Cut&) {
    return std::nullopt;
  }
}

PageCheck::PageCheck(std::vector<ColumnChunk> chunks, std::shared_ptr<const ByteSource> source, ErrorContext where)
    : source_(std::move(source)), where_(std::move(where)) {
  for (const ColumnChunk& chunk : chunks) chunks_.push_back({chunk, chunk.begin, 0});
  std::sort(chunks_.begin(), chunks_.end(), [](const Chunk& a, const Chunk& b) { return a.begin < b.begin; });
  // No chunk may reach beyond the start of the next, so that each byte belongs to one chunk.
  for (std::size_t i = 0; i < chunks_.size(); ++i) {
    const uint64_t end = i + 1 < chunks_.size() ? chunks_[i + 1].begin : source_->size();
    if (chunks_[i].begin <= end && chunks_[i].size <= end - chunks_[i].begin) continue;
    throw FormatError("Parquet footer: " + std::to_string(chunks_[i].size) + " bytes of a column at " +
                          std::to_string(chunks_[i].begin) + " pass the next column, or the end, at " +
                          std::to_string(end),
                      where_);
  }
}

void PageCheck::fail(const std::string& what, uint64_t offset) const {
  throw FormatError("Parquet page at byte " + std::to_string(offset) + " of the table " + what, where_);
}

void PageCheck::check(uint64_t offset, std::span<const std::byte> bytes) {
  const uint64_t end = offset + bytes.size();
  const std::lock_guard lock(mutex_);
  auto chunk = std::upper_bound(chunks_.begin(), chunks_.end(), offset,
                                [](uint64_t at, const Chunk& c) { return at < c.begin; });
  if (chunk != chunks_.begin()) --chunk;
  for (; chunk != chunks_.end() && chunk->begin < end; ++chunk) {
    // There is a first header whatever the stated size.
    const uint64_t chunk_end = chunk->begin + std::max<uint64_t>(chunk->size, 1);
    if (chunk_end <= offset) continue;  // the footer, or a gap: no bytes of this column are handed on
    while (chunk->next < std::min(end, chunk_end)) {
      const PageSizes page = header_at(*chunk, offset, bytes);
      check_sizes(*chunk, page);
      const uint64_t next = chunk->next + static_cast<uint64_t>(page.header) + static_cast<uint64_t>(page.compressed);
      count_values(*chunk, page, next >= chunk_end);
      chunk->next = next;
    }
  }
}

/// Headers of small columns lie close together, so one request reads them all.
Bytes PageCheck::read(ByteRange range) {
  if (source_->is_local()) return source_->read(range);
  if (!block_.find(range)) {
    const uint64_t size = std::max(range.size, std::min(kBlock, source_->size() - range.offset));
    block_.clear();
    block_.add(range.offset, source_->read({range.offset, size}));
  }
  const auto part = *block_.find(range);
  return {part.begin(), part.end()};
}

PageSizes PageCheck::header_at(const Chunk& chunk, uint64_t offset, std::span<const std::byte> bytes) {
  const uint64_t at = chunk.next, left = std::min(source_->size() - std::min(at, source_->size()), kMaxHeader);
  try {
    if (at >= offset) {
      if (const auto page = parse_page_header(bytes.subspan(at - offset))) return *page;
    }
    for (uint64_t length = std::min(kHeaderGuess, left);; length = std::min(length * 16, left)) {
      if (const auto page = parse_page_header(read({at, length}))) return *page;
      if (length == left) fail("has a header that is cut, or longer than " + std::to_string(kMaxHeader) + " bytes", at);
    }
  } catch (const FormatError& error) {
    if (error.context().path.empty()) fail("has a header with " + error.message(), at);
    throw;
  }
}

void PageCheck::check_sizes(const Chunk& chunk, const PageSizes& page) const {
  if (page.uncompressed < 0 || page.compressed < 0 || page.dictionary_values < 0 || page.values < 0)
    fail("states a negative size, or none", chunk.next);
  const uint64_t uncompressed = static_cast<uint64_t>(page.uncompressed),
                 compressed = static_cast<uint64_t>(page.compressed);
  const uint64_t size = source_->size(), left = size - chunk.next - static_cast<uint64_t>(page.header);
  if (compressed > left)
    fail("states " + std::to_string(compressed) + " bytes, " + std::to_string(left) + " are left", chunk.next);
  const uint64_t in_chunk =
      chunk.begin + chunk.size + kUncounted - std::min(chunk.next, chunk.begin + chunk.size + kUncounted);
  if (compressed > in_chunk)
    fail("states " + std::to_string(compressed) + " bytes, in a column of " + std::to_string(chunk.size), chunk.next);
  const uint64_t announced = std::max(chunk.uncompressed_size, kUnannouncedGrowth * compressed + kUnannouncedSize);
  if (uncompressed > std::min(announced, kMaxPage + kUnannouncedGrowth * size)) {
    fail("states " + std::to_string(uncompressed) + " bytes when unpacked, of " + std::to_string(compressed) +
             " in the file, in a column of " + std::to_string(chunk.uncompressed_size),
         chunk.next);
  }
  if (static_cast<uint64_t>(page.dictionary_values) > uncompressed / chunk.value_size) {
    fail("states " + std::to_string(page.dictionary_values) + " values in a dictionary of " +
             std::to_string(uncompressed) + " bytes",
         chunk.next);
  }
}

void PageCheck::count_values(Chunk& chunk, const PageSizes& page, bool last) const {
  const uint64_t values = chunk.values + static_cast<uint64_t>(page.values);
  if (last ? values != chunk.num_values : values > chunk.num_values) {
    fail(std::string(last ? "ends a column" : "is one") + " of " + std::to_string(values) + " values, " +
             std::to_string(chunk.num_values) + " are in the footer",
         chunk.next);
  }
  chunk.values = values;  // only now: a page that was refused is refused again
}

}  // namespace tacore
