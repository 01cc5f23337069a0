#pragma once

#include <string>
#include <vector>

#include "tacore/parquet_options.hpp"

namespace tacore {

/// Writes the index over TACO ZIPs that create() made, which stand together in one folder, as the folder `.tacocat`
/// beside them (format dossier 5.1): their levels joined, their collections merged. `.tacocat` must not be there.
/// Throws IoError; SchemaError when they do not fit together.
void write_tacocat(const std::vector<std::string>& zips, const ParquetOptions& options);

}  // namespace tacore
