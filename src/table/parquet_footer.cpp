#include "table/parquet_footer.hpp"

#include <arrow/util/config.h>
#include <parquet/exception.h>
#include <parquet/metadata.h>
#include <parquet/schema.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <string>
#include <string_view>

#include "base/little_endian.hpp"
#include "base/text.hpp"

namespace tacore {
namespace {

constexpr uint64_t kFooterEnd = 8;  // length field and magic
// Thrift expands a footer about tenfold; 64 MiB is far beyond any level table.
constexpr uint64_t kMaxFooter = 64 * 1024 * 1024;

}  // namespace

Bytes read_parquet_tail(const ByteSource& source, const ErrorContext& where) {
  const uint64_t size = source.size();
  if (size < kFooterEnd + 4) {
    throw FormatError("not Parquet: " + std::to_string(size) + " bytes, at least 12 expected", where);
  }
  uint64_t length = std::min(size, kFooterGuess);
  Bytes tail = source.read({size - length, length});
  Cursor end(std::span<const std::byte>(tail).last(kFooterEnd), "Parquet end");
  const uint64_t footer = end.u32();
  const std::string_view magic = end.text(4);
  if (magic == "PARE") throw FormatError("Parquet footer is encrypted; plain expected", where);
  if (magic != "PAR1") throw FormatError("not Parquet: ends with " + in_quotes(magic) + ", 'PAR1' expected", where);
  if (footer > size - kFooterEnd - 4 || footer > kMaxFooter) {
    throw FormatError(
        "Parquet footer states " + std::to_string(footer) + " bytes, the file has " + std::to_string(size), where);
  }
  if (footer + kFooterEnd > length) {
    length = footer + kFooterEnd;
    tail = source.read({size - length, length});
  }
  return tail;
}

uint64_t footer_size(std::span<const std::byte> tail) {
  return Cursor(tail.last(kFooterEnd), "Parquet end").u32() + kFooterEnd;
}

std::shared_ptr<parquet::FileMetaData> parse_parquet_footer(std::span<const std::byte> tail,
                                                            const ErrorContext& where) {
  Cursor end(tail.last(kFooterEnd), "Parquet end");
  uint32_t length = end.u32();
  const std::byte* begin = tail.data() + tail.size() - kFooterEnd - length;
  try {
#if ARROW_VERSION_MAJOR >= 26
    auto out = parquet::FileMetaData::Make(begin, static_cast<int64_t>(length));
#else
    auto out = parquet::FileMetaData::Make(begin, &length);
#endif
    // A plain-text footer may have encrypted columns: refused here, before some columns are read and others fail.
    if (out->is_encryption_algorithm_set()) throw FormatError("Parquet columns are encrypted; plain expected", where);
    return out;
  } catch (const parquet::ParquetException& error) {
    throw FormatError(std::string("Parquet footer: ") + error.what(), where);
  }
}

int64_t first_page(const parquet::ColumnChunkMetaData& chunk) {
  const int64_t data = chunk.data_page_offset();
  return chunk.has_dictionary_page() && chunk.dictionary_page_offset() > 0
             ? std::min(data, chunk.dictionary_page_offset())
             : data;
}

std::vector<uint64_t> float_filters(const parquet::FileMetaData& footer) {
  std::vector<uint64_t> out;
  for (int leaf = 0; leaf < footer.num_columns(); ++leaf) {
    const auto* column = footer.schema()->Column(leaf);
    const auto type = column->physical_type();
    const auto& logical = column->logical_type();
    const bool is_half = logical && logical->is_float16();
    if (type != parquet::Type::FLOAT && type != parquet::Type::DOUBLE && !is_half) continue;
    for (int group = 0; group < footer.num_row_groups(); ++group) {
      const auto offset = footer.RowGroup(group)->ColumnChunk(leaf)->bloom_filter_offset();
      if (offset && *offset > 0) out.push_back(static_cast<uint64_t>(*offset));
    }
  }
  std::ranges::sort(out);
  return out;
}

void hide_filters(std::span<const uint64_t> filters, uint64_t offset, std::span<std::byte> bytes) {
  // Thrift's BloomFilterHeader: no bytes, and an algorithm, a hash and a compression that do not exist.
  constexpr uint8_t kUnknown[] = {0x15, 0x00, 0x1c, 0x00, 0x1c, 0x00, 0x1c, 0x00, 0x00};
  const uint64_t end = offset + bytes.size(), length = std::size(kUnknown);
  const auto first = std::ranges::lower_bound(filters, offset < length ? 0 : offset - length + 1);
  for (auto at = first; at != filters.end() && *at < end; ++at) {
    for (uint64_t i = 0; i < length; ++i) {
      if (*at + i >= offset && *at + i < end) bytes[*at + i - offset] = static_cast<std::byte>(kUnknown[i]);
    }
  }
}

}  // namespace tacore
