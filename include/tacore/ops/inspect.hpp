#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tacore/visibility.hpp"
#include "tacore/write/create.hpp"
#include "tacore/write/sample.hpp"

/// The content of datasets to be written, and metadata as Arrow tables.
namespace tacore {

/// Reads an Arrow C stream as metadata columns, with one value for each row. The stream is read to its end and
/// released. Extension types become their storage type. Throws SchemaError for a column of a type that Value does not
/// have (decimals, maps, ...) and for a key that occurs twice.
TACORE_EXPORT std::vector<MetadataColumn> read_metadata(ArrowArrayStream* rows);

/// Exports metadata columns as an Arrow C stream. Throws SchemaError for a type that cannot hold its values and for
/// columns of different lengths.
TACORE_EXPORT void export_metadata(const std::vector<MetadataColumn>& columns, ArrowArrayStream* out);

/// The children of a FOLDER of level 0. Throws SchemaError for a FILE and a row that does not exist.
TACORE_EXPORT Tortilla children(const Tortilla& tortilla, int64_t row);

/// The metadata of a FILE or FOLDER of level 0. Throws SchemaError for a row that does not exist.
TACORE_EXPORT std::vector<MetadataField> metadata(const Tortilla& tortilla, int64_t row);

/// The extent that create() writes for these samples when none is given. Throws SchemaError for damaged geometries.
TACORE_EXPORT Extent compute_extent(const Tortilla& tortilla);

/// All rule violations of the collection and the tree of a dataset to be written, one sentence each; empty when there
/// are none.
TACORE_EXPORT std::vector<std::string> validation_errors(const Taco& taco);

/// All rule violations of a collection to be written, one sentence each; its tree, field schema and sources are not
/// checked.
///
///     for (const auto& fault : validation_errors(Collection{.id = "My chips"})) std::puts(fault.c_str());
TACORE_EXPORT std::vector<std::string> validation_errors(const Collection& collection);

/// The tasks that a collection may name, such as "classification".
TACORE_EXPORT std::vector<std::string> known_tasks();

/// The licence identifiers of the SPDX list, such as "CC-BY-4.0", in alphabetical order without regard to case.
TACORE_EXPORT std::vector<std::string> known_licences();

}  // namespace tacore
