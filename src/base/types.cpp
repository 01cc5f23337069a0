#include "tacore/types.hpp"

#include "base/text.hpp"
#include "tacore/error.hpp"

namespace tacore {

const char* to_string(Format format) noexcept {
  switch (format) {
    case Format::Zip: return "zip";
    case Format::Folder: return "folder";
    case Format::Tacocat: return "tacocat";
    case Format::Tacollection: return "tacollection";
    case Format::Tortilla: return "tortilla";
    case Format::Taco: return "taco";
  }
  return "";
}

namespace tabular {

Output::~Output() = default;

Encoding parse_encoding(std::string_view text) {
  if (text == "table") return Encoding::Table;
  if (text == "csv") return Encoding::Csv;
  if (text == "json") return Encoding::Json;
  if (text == "parquet") return Encoding::Parquet;
  throw QueryError("unknown format " + quoted(text) + ", expected table, csv, json or parquet");
}

}  // namespace tabular
}  // namespace tacore
