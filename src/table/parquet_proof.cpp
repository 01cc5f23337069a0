#include "table/parquet_proof.hpp"

#include <arrow/util/key_value_metadata.h>
#include <parquet/metadata.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <string_view>

#include "base/crc32.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"
#include "table/parquet_footer.hpp"

namespace tacore {
namespace {

// The value begins with what it proves, beside the page index, and a version. The SHA-256 of the footer follows, in
// which its own digits are zeros, and then the CRC-32 of the page index of each row group.
constexpr std::string_view kCovering = "covering 1 ", kNoCovering = "pages 1 ";
constexpr std::size_t kHashDigits = 64, kCrcDigits = 8;

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string hex_of(uint32_t crc) {
  char out[kCrcDigits + 1];
  std::snprintf(out, sizeof out, "%08x", static_cast<unsigned>(crc));
  return out;
}

}  // namespace

std::string unproved(bool has_covering, int num_groups) {
  return std::string(has_covering ? kCovering : kNoCovering) +
         std::string(kHashDigits + kCrcDigits * static_cast<std::size_t>(num_groups), '0');
}

std::optional<PageIndexRanges> page_index_ranges(const parquet::FileMetaData& footer, int group) {
  PageIndexRanges out;
  const auto add = [](ByteRange& all, const std::optional<parquet::IndexLocation>& one) {
    if (!one || one->offset <= 0 || one->length <= 0) return false;
    const auto offset = static_cast<uint64_t>(one->offset), size = static_cast<uint64_t>(one->length);
    if (all.size == 0) all.offset = offset;
    if (offset != all.offset + all.size) return false;
    all.size += size;
    return true;
  };
  const auto columns = footer.RowGroup(group);
  for (int leaf = 0; leaf < footer.num_columns(); ++leaf) {
    const auto chunk = columns->ColumnChunk(leaf);
    const auto column = chunk->GetColumnIndexLocation();  // columns of which no bounds are known have none
    if ((column && !add(out.columns, column)) || !add(out.offsets, chunk->GetOffsetIndexLocation()))
      return std::nullopt;
  }
  return out;
}

void prove(std::span<std::byte> end, uint64_t offset) {
  const auto footer = end.last(footer_size(end));
  const auto metadata = parse_parquet_footer(footer, {});
  const auto& keys = metadata->key_value_metadata();
  const std::string value = keys ? keys->Get(kProofKey).ValueOr("") : "";
  const auto at = as_text(footer).find(value);
  if (value.empty() || at == std::string_view::npos) throw FormatError("Parquet footer has no place for its proof");
  const std::size_t begin = value.rfind(' ') + 1;
  std::string crcs;
  for (int group = 0; group < metadata->num_row_groups(); ++group) {
    uint32_t crc = 0;
    if (const auto ranges = page_index_ranges(*metadata, group)) {
      for (const ByteRange& range : {ranges->columns, ranges->offsets})
        crc = crc32(end.subspan(range.offset - offset, range.size), crc);
    }
    crcs += hex_of(crc);
  }
  const auto place = footer.subspan(at + begin, value.size() - begin);
  std::ranges::copy(std::as_bytes(std::span(crcs)), place.begin() + kHashDigits);
  const std::string hash = hex(sha256(footer));
  std::ranges::copy(std::as_bytes(std::span(hash)), place.begin());
}

std::optional<Proved> proved_by(std::span<const std::byte> footer, const std::optional<std::string>& stated,
                                int num_groups) {
  if (!stated) return std::nullopt;
  Proved out{.has_covering = stated->starts_with(kCovering)};
  if (!out.has_covering && !stated->starts_with(kNoCovering)) return std::nullopt;
  const auto at = as_text(footer).find(*stated);
  const std::size_t size = unproved(out.has_covering, num_groups).size(), begin = stated->rfind(' ') + 1;
  if (stated->size() != size || at == std::string_view::npos)
    throw FormatError("its proof is that of a table of other row groups");
  Bytes blank(footer.begin(), footer.end());
  std::fill_n(blank.begin() + static_cast<std::ptrdiff_t>(at + begin), kHashDigits, std::byte{'0'});
  if (hex(sha256(blank)) != stated->substr(begin, kHashDigits))
    throw FormatError("its footer is not the one that was proved when the table was written");
  for (std::size_t i = begin + kHashDigits; i < size; i += kCrcDigits) {
    uint32_t& crc = out.page_indexes.emplace_back();
    const char* const digits = stated->data() + i;
    if (std::from_chars(digits, digits + kCrcDigits, crc, 16).ptr != digits + kCrcDigits)
      throw FormatError("its proof has other characters than hexadecimal digits");
  }
  return out;
}

}  // namespace tacore
