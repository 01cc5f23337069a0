#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "writer/tree.hpp"

/// What `tortilla:file_format` says of a sample (dossier v1 1.3, 9).
namespace tacore::v1 {

/// The spelling that the specification has for the short name of a GDAL driver in any case ("Gtiff" is GTiff); other
/// names as they are.
std::string spelled_format(std::string_view name);

/// As many of the first bytes of a sample as tell what it is. Throws IoError.
Bytes read_head(const Payload& payload);

/// The format of a file of `size` bytes that begins with `head`, of which `path` is the name ("": none): by what its
/// kind begins with, then by the end of its name; BYTES for all others.
std::string guess_format(std::span<const std::byte> head, uint64_t size, std::string_view path);

/// The same of a sample, which is read for it; netCDF-4 is told from HDF5 by what its root holds. Throws IoError.
std::string guess_format(const Payload& payload);

/// True for the names of GDAL drivers, BYTES and TORTILLA, in any case.
bool is_known_format(std::string_view name);
/// True when files of a format begin with bytes of their own, and whether `head` does.
bool has_signature(std::string_view format);
bool same_signature(std::string_view format, std::span<const std::byte> head);

}  // namespace tacore::v1
