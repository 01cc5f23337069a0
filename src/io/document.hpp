#pragma once

#include <cstdint>
#include <string>

#include "io/byte_source.hpp"

namespace tacore {

/// The largest JSON document that is read (COLLECTION.json of any version, TACOLLECTION.json). Parsed it takes about
/// ten times as much memory; an index of a hundred thousand parts is smaller.
inline constexpr uint64_t kMaxDocumentSize = 64 << 20;

/// Throws FormatError, which names `path`, for the range of a larger document.
void check_document_size(ByteRange range, const std::string& path);

/// Reads a JSON document. Throws as check_document_size(), before anything is allocated; IoError.
Bytes read_document(const ByteSource& source, ByteRange range);
inline Bytes read_document(const ByteSource& source) { return read_document(source, {0, source.size()}); }

}  // namespace tacore
