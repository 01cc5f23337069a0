#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tacore/write/table_options.hpp"

/// Tables of samples: the names of their columns, and faults of their rows.
namespace tacore {

/// The name that column `name` of a table of samples has in its file, before it is renamed.
std::string name_in_file(const std::string& name, const TableOptions& options);

/// A table of samples, and the bytes of the FILEs that it holds itself.
struct TableWithData {
  std::shared_ptr<arrow::Table> table;                      ///< without them
  std::vector<std::optional<std::string_view>> bytes = {};  ///< of each row; empty for a table without such a column
  std::shared_ptr<arrow::ChunkedArray> owner = {};          ///< of the bytes
};

/// Takes the column `data` out of a table of samples when it is binary: the bytes of FILEs, which may be in several
/// pieces, since they can be larger than one array. A table without a column of paths gets one of nulls.
TableWithData take_data(const std::shared_ptr<arrow::Table>& table, const TableOptions& options);

/// Renames the columns of a table of samples as `options` say. Throws SchemaError, with what to type instead, for a
/// column that does not exist, two of one name, no `id` or `path`, and names that no metadata may have.
std::shared_ptr<arrow::Table> with_sample_names(const std::shared_ptr<arrow::Table>& table, const TableOptions& options,
                                                const std::string& path);

/// Faults of the rows of a table, told together.
class RowFaults {
 public:
  RowFaults(std::string path, TableOptions options) : path_(std::move(path)), options_(std::move(options)) {}

  /// `what` comes after "line 3" or "row 1", and before the place of the row `other`, if there is one.
  /// `error_number` is the errno of a file that cannot be opened, whose words follow.
  void add(int64_t row, const std::string& what, int64_t other = -1, int error_number = 0);
  /// Throws the first 20 faults, in the order of the rows, and the number of all: a SchemaError, or IoError for one
  /// file. Rows of text files are told by their lines, from 1, those of other tables by their numbers, from 0.
  void throw_if_any() const;

 private:
  struct Fault {
    std::string what;
    int64_t other;
    int error_number;
  };

  std::string path_;
  TableOptions options_;
  int64_t num_faults_ = 0;
  std::multimap<int64_t, Fault> first_ = {};  ///< by row
};

/// Converts the columns of acquisition times (`stac:time_start`, ..., `istac:time_end`) to timestamps: as timestamps()
/// of tortilla_columns.hpp, and whole numbers and text of years (`2005`) and months (`2005-06`), which are their first
/// microsecond, as an end their last. Text that is no time becomes a fault. `table` is in one piece. Throws SchemaError
/// for columns of other types.
std::shared_ptr<arrow::Table> with_times(const std::shared_ptr<arrow::Table>& table, const TableOptions& options,
                                         RowFaults& faults);

}  // namespace tacore
