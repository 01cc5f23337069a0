#pragma once

#include <cstdint>
#include <string_view>

#include "tacore/dataframe.hpp"
#include "tacore/export.hpp"

/// Rows as text and files; beyond section 7, so in a namespace of its own.
namespace tacore::tabular {

enum class Encoding {
  Table,   ///< aligned columns for a person, long cells cut
  Csv,     ///< RFC 4180, header line; nested values as JSON, binary as base64
  Json,    ///< one array of row objects: null for NULL, NaN and infinities; RFC 3339 times; base64 binary
  Parquet  ///< zstd
};

/// "table", "csv", "json" or "parquet". Throws QueryError.
TACORE_EXPORT Encoding parse_encoding(std::string_view text);

/// Receives encoded bytes in order. May throw; then encode() stops and passes it on.
class TACORE_EXPORT Output {
 public:
  virtual ~Output();
  virtual void write(std::string_view bytes) = 0;
};

/// Encodes the rows that show, batch by batch.
TACORE_EXPORT void encode(const DataFrame& rows, Encoding encoding, Output& output);

}  // namespace tacore::tabular
