#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tacore/dataframe.hpp"
#include "tacore/types.hpp"
#include "tacore/visibility.hpp"

struct ArrowArrayStream;  // Arrow C stream interface

/// Tables as text and files.
namespace tacore::tabular {

/// Writes the rows and visible columns of a DataFrame as a table, CSV, JSON or Parquet, batch by batch.
///
///     tabular::encode(load("chips.tacozip").data(), tabular::Encoding::Csv, output);  // a tabular::Output
TACORE_EXPORT void encode(const DataFrame& rows, Encoding encoding, Output& output);

/// The rows of an Arrow C stream as bytes of an Arrow IPC stream, which every Arrow library reads. The stream is read
/// to its end and released. Throws what reading it throws.
TACORE_EXPORT Bytes encode_ipc(ArrowArrayStream* rows);

/// A table of text for people.
struct FittedTable {
  std::vector<std::string> lines = {};     ///< names of columns, a rule, and a line for each row
  std::vector<std::string> left_out = {};  ///< names of the columns for which there was no room
};

/// Makes a table of lines of at most `line_width` characters (more if one column needs more): of more than 20 rows the
/// first and the last 10 with "..." between, and the columns for which there is room: `id` and `type` first, then those
/// of the dataset, then standard ones, then lists and bytes. Points are text, control characters are spaces.
///
///     for (const auto& line : tabular::fit(load("chips.tacozip").data(), 80).lines) std::puts(line.c_str());
TACORE_EXPORT FittedTable fit(const DataFrame& rows, std::size_t line_width);

}  // namespace tacore::tabular
