#pragma once

#include <memory>
#include <string>

#include "container/container.hpp"
#include "io/byte_source.hpp"
#include "tortilla/chunk_table.hpp"
#include "tortilla/header.hpp"

/// Reading Tortilla 0.5.0 and TACO 0.2.0.
namespace tacore::v1 {

/// Opens a `.tortilla` or `.taco` file: its header, its COLLECTION and the footer of its table of samples. A nested
/// Tortilla is a FOLDER: the tree is derived from the footers of one sample, and the table of a level below the root is
/// assembled from all nested footers, each on first use. Throws FormatError and SchemaError.
std::shared_ptr<Container> open_tortilla(std::shared_ptr<const ByteSource> source, const std::string& path);

/// Reads only the COLLECTION. A Tortilla has none: the id of its collection is the file name.
Collection read_tortilla_collection(const ByteSource& source, const std::string& path);

/// Reads the header of a file.
Header read_header(const ByteSource& source, const std::string& path);
/// Reads the header of the container in `range` of a file. Throws FormatError with `where` and the byte.
Header read_header(const ByteSource& source, ByteRange range, const ErrorContext& where);
/// Opens its table of samples as a level, with offsets in the file. Throws FormatError and SchemaError.
std::shared_ptr<const LevelTable> open_footer(const std::shared_ptr<const ByteSource>& source, ByteRange range,
                                              const Header& header, const ErrorContext& where);
/// The number of footers, kilobytes each in memory, that are joined to one table at a time.
inline constexpr std::size_t kFootersAtOnce = 4096;

/// The chunk table of a streaming file; nullptr for any other container.
const ChunkTable* chunk_table(const Container& container);
/// As ChunkTable::find for a streaming file; nullopt for any other container. `level` and `row` are -1 where they are
/// unknown.
std::optional<Chunk> find_chunk(const Container& container, const std::string& id, ByteRange owner, int level,
                                int64_t row);

/// Bytes of the file of a Tortilla or TACO; nullptr for other containers. Throws FormatError for bytes outside of it.
std::shared_ptr<const ByteSource> bytes_of(const Container& container, ByteRange range);

}  // namespace tacore::v1
