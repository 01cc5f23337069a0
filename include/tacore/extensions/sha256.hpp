#pragma once

#include "tacore/visibility.hpp"
#include "tacore/write/sample.hpp"

/// Hashes of data as metadata, by which damage is found and equal files are told.
namespace tacore::extensions {

/// Makes a copy of `samples` with the column `taco:sha256` at each level: 32 bytes, for a FILE the SHA-256 of its data,
/// for a FOLDER that of the hashes of its children, one behind the other. Padding has null, and counts as no bytes. All
/// data are read, on `jobs` threads (0: one for each processor). Throws SchemaError when a level already has the
/// column; IoError.
///
///     create({extensions::with_sha256(Tortilla::from_folder("chips")), about}, "chips.tacozip");
TACORE_EXPORT Tortilla with_sha256(const Tortilla& samples, int jobs = 0);

}  // namespace tacore::extensions
