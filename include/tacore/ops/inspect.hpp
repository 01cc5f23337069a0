#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tacore/visibility.hpp"
#include "tacore/write/create.hpp"
#include "tacore/write/sample.hpp"

/// The content of datasets that are to be written, and metadata as Arrow tables.
namespace tacore {

/// The columns of a table as metadata, a value for each row; reads `rows` to their end and releases them. Extension
/// types become what they store. Throws SchemaError: a column that Value has no form for (decimals, maps, ...), a key
/// that occurs twice.
TACORE_EXPORT std::vector<MetadataColumn> read_metadata(ArrowArrayStream* rows);

/// The reverse: as one table. Throws SchemaError: a type that does not hold its values, columns of different lengths.
TACORE_EXPORT void export_metadata(const std::vector<MetadataColumn>& columns, ArrowArrayStream* out);

/// The children of a FOLDER of level 0. Throws SchemaError for a FILE and a row that is not there.
TACORE_EXPORT Tortilla children(const Tortilla& tortilla, int64_t row);

/// The metadata of a sample of level 0, of either type. Throws SchemaError for a row that is not there.
TACORE_EXPORT std::vector<MetadataField> metadata(const Tortilla& tortilla, int64_t row);

/// The extent that create() writes where none is given. Throws SchemaError for damaged geometries.
TACORE_EXPORT Extent compute_extent(const Tortilla& tortilla);

/// All rules of collections and trees that a dataset breaks whatever its output is, a sentence each.
TACORE_EXPORT std::vector<std::string> validation_errors(const Taco& taco);

}  // namespace tacore
