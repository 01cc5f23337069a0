#pragma once

#include <memory>
#include <string>
#include <vector>

#include "io/byte_source.hpp"

namespace tacore::v1 {

/// The rules for streaming files that a file breaks and readers tolerate, one sentence for each fault and table: roots
/// and parents that disagree, duplicate keys, samples without rows below them, chunks that do not belong to their
/// raster, leave it, disagree with its TIFF, or are not listed. Empty for a file that is not streaming. Throws
/// FormatError and SchemaError for a chain that cannot be read; IoError.
std::vector<std::string> streaming_faults(const std::shared_ptr<const ByteSource>& source, const std::string& path);

/// Why a GeoTIFF of a streaming file is no TOG (check_tacotiff). Throws IoError.
std::vector<std::string> tog_faults(const ByteSource& source);

}  // namespace tacore::v1
