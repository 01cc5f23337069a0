#pragma once

#include <arrow/type_fwd.h>

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>

#include "io/byte_source.hpp"

namespace tacore {

/// A table with its descriptions, as an Arrow IPC stream.
struct DescribedTable {
  std::shared_ptr<arrow::Table> table;
  std::map<std::string, std::string> about;
};

Bytes encode_ipc(const DescribedTable& from);
/// Decodes an Arrow IPC stream. Throws FormatError for anything else.
DescribedTable decode_ipc(std::span<const std::byte> bytes);

}  // namespace tacore
