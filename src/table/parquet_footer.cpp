#include "table/parquet_footer.hpp"

#include <arrow/util/config.h>
#include <parquet/exception.h>
#include <parquet/metadata.h>

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

#include "base/little_endian.hpp"
#include "base/text.hpp"

namespace tacore {
namespace {

// The first guess at how long a footer is: one read serves levels of a few row groups.
constexpr uint64_t kTailGuess = 16 * 1024;
constexpr uint64_t kFooterEnd = 8;  // length and magic
// Thrift expands a footer some tenfold; 64 MiB of it is far beyond any level of six.
constexpr uint64_t kMaxFooter = 64 * 1024 * 1024;

}  // namespace

Bytes read_parquet_tail(const ByteSource& source, const ErrorContext& where) {
  const uint64_t size = source.size();
  if (size < kFooterEnd + 4) {
    throw FormatError("not Parquet: " + std::to_string(size) + " bytes, at least 12 expected", where);
  }
  uint64_t length = std::min(size, kTailGuess);
  Bytes tail = source.read({size - length, length});
  Cursor end(std::span<const std::byte>(tail).last(kFooterEnd), "Parquet end");
  const uint64_t footer = end.u32();
  const std::string_view magic = end.text(4);
  if (magic == "PARE") throw FormatError("Parquet footer is encrypted; plain expected", where);
  if (magic != "PAR1") throw FormatError("not Parquet: ends with " + quoted(magic) + ", 'PAR1' expected", where);
  if (footer > size - kFooterEnd - 4 || footer > kMaxFooter) {
    throw FormatError("Parquet footer of " + std::to_string(footer) + " bytes in a file of " + std::to_string(size),
                      where);
  }
  if (footer + kFooterEnd > length) {
    length = footer + kFooterEnd;
    tail = source.read({size - length, length});
  }
  return tail;
}

uint64_t footer_size(const Bytes& tail) {
  return Cursor(std::span<const std::byte>(tail).last(kFooterEnd), "Parquet end").u32() + kFooterEnd;
}

std::shared_ptr<parquet::FileMetaData> parse_parquet_footer(const Bytes& tail, const ErrorContext& where) {
  Cursor end(std::span<const std::byte>(tail).last(kFooterEnd), "Parquet end");
  uint32_t length = end.u32();
  const std::byte* begin = tail.data() + tail.size() - kFooterEnd - length;
  try {
#if ARROW_VERSION_MAJOR >= 26
    auto out = parquet::FileMetaData::Make(begin, static_cast<int64_t>(length));
#else
    auto out = parquet::FileMetaData::Make(begin, &length);
#endif
    // A footer in plain text may have columns that are not: said here, before some columns are read and others are not.
    if (out->is_encryption_algorithm_set()) throw FormatError("Parquet columns are encrypted; plain expected", where);
    return out;
  } catch (const parquet::ParquetException& error) {
    throw FormatError(std::string("Parquet footer: ") + error.what(), where);
  }
}

}  // namespace tacore
