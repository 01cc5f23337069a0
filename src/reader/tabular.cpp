#include "tacore/tabular.hpp"

#include "base/text.hpp"
#include "reader/frame_stream.hpp"
#include "table/encode.hpp"
#include "tacore/error.hpp"

namespace tacore::tabular {

Output::~Output() = default;

Encoding parse_encoding(std::string_view text) {
  if (text == "table") return Encoding::Table;
  if (text == "csv") return Encoding::Csv;
  if (text == "json") return Encoding::Json;
  if (text == "parquet") return Encoding::Parquet;
  throw QueryError("format " + quoted(text) + "; table, csv, json or parquet expected");
}

void encode(const DataFrame& rows, Encoding encoding, Output& output) {
  encode_batches(*frame_batches(rows), encoding, output);
}

}  // namespace tacore::tabular
