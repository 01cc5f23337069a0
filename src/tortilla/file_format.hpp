#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "writer/tree.hpp"

/// The values of `tortilla:file_format`, the format of a sample.
namespace tacore::v1 {

/// The specification's spelling of the short name of a GDAL driver in any case ("Gtiff" is GTiff); other names stay
/// unchanged.
std::string spelled_format(std::string_view name);

/// The first bytes of a sample, as many as identify its format. Throws IoError.
Bytes read_head(const Payload& payload);

/// The format of a file of `size` bytes that begins with `head` and is called `path` ("": unknown): by its signature,
/// then by its extension; BYTES for all others.
std::string guess_format(std::span<const std::byte> head, uint64_t size, std::string_view path);

/// The format of a sample, which is read for it; netCDF-4 differs from HDF5 by its root group. Throws IoError.
std::string guess_format(const Payload& payload);

/// True for the names of GDAL drivers, BYTES and TORTILLA, in any case.
bool is_known_format(std::string_view name);
/// True when the files of a format have a signature, and whether `head` has it.
bool has_signature(std::string_view format);
bool same_signature(std::string_view format, std::span<const std::byte> head);

}  // namespace tacore::v1
