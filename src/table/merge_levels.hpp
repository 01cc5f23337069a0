#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "io/byte_source.hpp"
#include "table/parquet_write.hpp"

namespace tacore {

/// The Parquet file of one level of a part. Asked for when it is read, so that few files are open.
using OpenLevel = std::function<std::shared_ptr<const ByteSource>(std::size_t part)>;

/// One level of an index over several parts (format dossier 5.1): their rows in order, with the columns of the first
/// part in its order, and behind them `internal:source_file`, the name in `files`. Numbers and places stay those of the
/// part. Holds a row group at a time. `level` is for messages. Throws SchemaError for a part whose columns have other
/// names or types; their order may differ. FormatError for what cannot be read.
void merge_levels(const std::vector<std::string>& files, int level, const OpenLevel& open, const ByteConsumer& out,
                  const ParquetOptions& options = {});

}  // namespace tacore
