#pragma once

#include <memory>
#include <string>
#include <vector>

#include "io/byte_source.hpp"

namespace tacore::v1 {

/// What a streaming file breaks of dossier v1 3.2 and 3.3 that readers put up with, one sentence for each fault and
/// table: roots and parents that disagree, keys that are there twice, samples without rows below them, chunks that are
/// not those of their raster, leave it, are not what its TIFF makes of them, or are not listed. Empty for a file that is
/// none. Throws FormatError and SchemaError for a chain that cannot be read; IoError.
std::vector<std::string> streaming_faults(const std::shared_ptr<const ByteSource>& source, const std::string& path);

/// What keeps a GeoTIFF of a streaming file from being a TOG (check_tacotiff). Throws IoError.
std::vector<std::string> tog_faults(const ByteSource& source);

}  // namespace tacore::v1
