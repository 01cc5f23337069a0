#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tacore {

/// Options of Tortilla::from_table() and from_arrow(): the form of a table of samples, and the names of its columns.
struct TableOptions {
  /// Character between the values of a .csv or .tsv file: one ASCII character, `\t` for a tab. "": the one of `,`, `;`,
  /// tab and `|` that the header line has.
  std::string separator = {};
  std::string id_column = {};    ///< name of the column of ids; "": `id`
  std::string path_column = {};  ///< name of the column of paths; "": `path`
  /// Name of the column of acquisition times, which becomes `stac:time_start`; "": none.
  std::string time_column = {};
  /// Old and new names of further columns. All columns are renamed at once, so names may be exchanged.
  std::vector<std::pair<std::string, std::string>> rename = {};

  bool operator==(const TableOptions&) const = default;
};

}  // namespace tacore
