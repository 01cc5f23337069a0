#pragma once

#include <memory>

#include "io/byte_source.hpp"
#include "tacore/error.hpp"

namespace parquet {
class FileMetaData;
}

namespace tacore {

/// The end of a Parquet file: at least its whole footer, in one read if that is small. Throws FormatError for what is
/// not Parquet, is encrypted, or counts a footer that the file cannot hold.
Bytes read_parquet_tail(const ByteSource& source, const ErrorContext& where);
/// Of what read_parquet_tail() gave: how many bytes at its end are the footer, with its length and the magic.
uint64_t footer_size(const Bytes& tail);
/// The footer in what read_parquet_tail() gave. Throws FormatError.
std::shared_ptr<parquet::FileMetaData> parse_parquet_footer(const Bytes& tail, const ErrorContext& where);

}  // namespace tacore
