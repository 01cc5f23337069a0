#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "io/byte_source.hpp"
#include "tacore/error.hpp"

namespace parquet {
class ColumnChunkMetaData;
class FileMetaData;
}  // namespace parquet

namespace tacore {

/// Footers of most levels are no longer: so many bytes of the end are read first.
inline constexpr uint64_t kFooterGuess = 16 * 1024;

/// The last bytes of a Parquet file: at least its whole footer, in one read if it is small. Throws FormatError for what
/// is not Parquet, is encrypted, or states a footer that does not fit the file.
Bytes read_parquet_tail(const ByteSource& source, const ErrorContext& where);
/// The size of the footer at the end of `tail` (of read_parquet_tail()), with its length field and the magic.
uint64_t footer_size(std::span<const std::byte> tail);
/// Parses the footer in `tail` (of read_parquet_tail()). Throws FormatError.
std::shared_ptr<parquet::FileMetaData> parse_parquet_footer(std::span<const std::byte> tail, const ErrorContext& where);

/// The offset of the first page of a column chunk: of its dictionary, where it has one.
int64_t first_page(const parquet::ColumnChunkMetaData& chunk);

/// The offsets of Bloom filters of floating-point columns, ascending.
std::vector<uint64_t> float_filters(const parquet::FileMetaData& footer);
/// Overwrites the headers of such filters, in `bytes` that were read at `offset`, with a kind that no reader knows:
/// filters compare bits, but in SQL 0 equals -0 and all NaN are equal.
void hide_filters(std::span<const uint64_t> filters, uint64_t offset, std::span<std::byte> bytes);

}  // namespace tacore
