#pragma once

#include <arrow/io/type_fwd.h>
#include <arrow/type_fwd.h>

#include <memory>
#include <string>

namespace tacore {

/// read_table() of what is in `file`; `path` says which kind it is.
std::shared_ptr<arrow::Table> read_table(const std::shared_ptr<arrow::io::RandomAccessFile>& file,
                                         const std::string& path);

}  // namespace tacore
