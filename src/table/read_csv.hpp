#pragma once

#include <arrow/io/type_fwd.h>
#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tacore {

/// Reads the contents `file` of a .csv or .tsv file called `path`: UTF-8 with or without byte order mark, lines ending
/// in LF or CR LF, values in double quotes. `separator` is that of TableOptions. Columns called as in `text` are read
/// as text, the types of others are inferred; numbers that would change by that stay text. Throws FormatError for a
/// separator that is not clear, SchemaError for numbers with a decimal comma, ValidationError for a wrong `separator`.
std::shared_ptr<arrow::Table> read_csv(const std::shared_ptr<arrow::io::RandomAccessFile>& file,
                                       const std::string& path, const std::string& separator,
                                       const std::vector<std::string>& text);

/// The lines, from 1, at which these rows of a CSV file begin; the header line is no row. `rows` are ascending.
std::vector<uint64_t> lines_of_csv(const std::shared_ptr<arrow::io::RandomAccessFile>& file, const std::string& path,
                                   const std::string& separator, const std::vector<int64_t>& rows);

}  // namespace tacore
