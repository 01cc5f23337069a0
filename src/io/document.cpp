#include "io/document.hpp"

#include "tacore/error.hpp"

namespace tacore {

void check_document_size(ByteRange range, const std::string& path) {
  if (range.size <= kMaxDocumentSize) return;
  throw FormatError("JSON document has " + std::to_string(range.size) + " bytes, at most " +
                        std::to_string(kMaxDocumentSize) + " allowed",
                    {.path = path, .offset = range.offset});
}

Bytes read_document(const ByteSource& source, ByteRange range) {
  check_document_size(range, source.name());
  return source.read(range);
}

}  // namespace tacore
