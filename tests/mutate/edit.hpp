#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "case.hpp"

/// Changes to documents and tables that leave them well-formed.
namespace tacore::mutate {

/// How many values a JSON document has.
std::size_t count_values(const std::string& json);
/// The document with its value number `index`, counted from the root down, changed.
std::string edit_json(const std::string& json, std::size_t index, Kind kind);

/// The columns of a Parquet file that navigation uses, and whether they hold numbers.
struct EditableColumn {
  std::string name;
  bool number;
};
struct EditableTable {
  std::vector<EditableColumn> columns;
  uint32_t num_rows = 0;
};
EditableTable editable(const Bytes& parquet);
/// The table with one cell changed; nullopt when that would change nothing.
std::optional<Bytes> edit_cell(const Bytes& parquet, const std::string& column, uint32_t row, Kind kind);

}  // namespace tacore::mutate
