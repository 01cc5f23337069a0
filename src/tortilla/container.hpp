#pragma once

#include <memory>
#include <string>

#include "io/byte_source.hpp"
#include "container/container.hpp"
#include "tortilla/chunk_table.hpp"
#include "tortilla/header.hpp"

/// Reading Tortilla 0.5.0 and TACO 0.2.0 (dossier v1 1, 2).
namespace tacore::v1 {

/// Opens a `.tortilla` or `.taco` file: its header, its COLLECTION and the footer of its table of samples. A nested
/// tortilla is a FOLDER: the tree is told from the footers of one, and the table of a level below the root assembled
/// from all nested footers, each when it is first asked for. Throws FormatError and SchemaError.
std::shared_ptr<Container> open_tortilla(std::shared_ptr<const ByteSource> source, const std::string& path);

/// COLLECTION alone; of a Tortilla, which has none, its name.
Collection read_tortilla_collection(const ByteSource& source, const std::string& path);

/// The header of a file.
Header read_header(const ByteSource& source, const std::string& path);
/// That of the container in `range` of a file. Throws FormatError with `where` and the byte.
Header read_header(const ByteSource& source, ByteRange range, const ErrorContext& where);
/// Its table of samples as a level, whose places are those in the file. Throws FormatError and SchemaError.
std::shared_ptr<const LevelTable> open_footer(const std::shared_ptr<const ByteSource>& source, ByteRange range,
                                              const Header& header, const ErrorContext& where);
/// A table of a few rows takes kilobytes in memory: so many are held before they become one.
inline constexpr std::size_t kFootersAtOnce = 4096;

/// That of a streaming file; nullptr for any other container.
const ChunkTable* chunk_table(const Container& container);
/// ChunkTable::find of a streaming file; nullopt for any other container. `level` and `row` are -1 where they are not
/// known.
std::optional<Chunk> find_chunk(const Container& container, const std::string& id, ByteRange owner, int level,
                                int64_t row);

/// Bytes of the file of a Tortilla or TACO; nullptr for any other container. Throws FormatError when they leave it.
std::shared_ptr<const ByteSource> bytes_of(const Container& container, ByteRange range);

}  // namespace tacore::v1
