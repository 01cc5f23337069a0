#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "io/byte_source.hpp"
#include "tacore/error.hpp"

namespace parquet {
class FileMetaData;
}

namespace tacore {

/// Footers of most levels are no longer: so many bytes of the end are read first.
inline constexpr uint64_t kFooterGuess = 16 * 1024;

/// The end of a Parquet file: at least its whole footer, in one read if that is small. Throws FormatError for what is
/// not Parquet, is encrypted, or counts a footer that the file cannot hold.
Bytes read_parquet_tail(const ByteSource& source, const ErrorContext& where);
/// Of what read_parquet_tail() gave: how many bytes at its end are the footer, with its length and the magic.
uint64_t footer_size(const Bytes& tail);
/// The footer in what read_parquet_tail() gave. Throws FormatError.
std::shared_ptr<parquet::FileMetaData> parse_parquet_footer(const Bytes& tail, const ErrorContext& where);

/// Where Bloom filters of floating-point columns begin, ascending.
std::vector<uint64_t> float_filters(const parquet::FileMetaData& footer);
/// Makes the headers of such filters, in `bytes` that were read at `offset`, those of a kind that no reader knows: one
/// knows bits, and to SQL 0 is -0 and all NaN are one number.
void hide_filters(std::span<const uint64_t> filters, uint64_t offset, std::span<std::byte> bytes);

}  // namespace tacore
