#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "io/byte_source.hpp"
#include "tacore/raster/tog.hpp"
#include "writer/staging.hpp"
#include "writer/tree.hpp"

namespace tacore {

/// Throws QueryError for options that are right for no image.
void check_tog_options(const TogOptions& options);

/// The public check_tacotiff(), for the bytes of a file.
std::vector<std::string> check_tacotiff(const ByteSource& source);

/// make_tog() into a new file, without waiting for the disk; `options.block_size` 0 is as in TogSamplesOptions. Returns
/// the size of the file.
uint64_t encode_tog(const std::string& input, StagedFile& file, TogOptions options, const RasterOpener* fallback);

/// Encodes the FILE at a row as a TOG, a file in `folder`, and returns its payload. Throws as make_tog(), and
/// FormatError when the bytes differ from the CRC-32 that the payload states.
Payload encode_payload(const Tree& tree, int level, std::size_t row, const StagingDir& folder,
                       const TogOptions& options, const RasterOpener* fallback);

/// True for a TOG with tiles of `block_size`, 0 for any.
bool is_tog(const ByteSource& source, int64_t block_size);

}  // namespace tacore
