#pragma once

#include <memory>
#include <string>
#include <vector>

#include "io/byte_source.hpp"
#include "table/level_table.hpp"
#include "tortilla/chunk_table.hpp"

/// The chain of tables in a streaming TACO (dossier v1 3): level 0, 1, ..., n, chunks.
namespace tacore::v1 {

/// The tables behind level 0, as they are stored.
struct Chain {
  std::vector<std::shared_ptr<const LevelTable>> levels = {};  ///< from level 1 on
  std::shared_ptr<const ChunkTable> chunks = {};
};

/// Follows the pointers from `level0`, which has one and lies in `first`. What its hint `taco:footer` names is read in
/// one go if it is small. Throws FormatError for a pointer that leaves the file, starts in its header, leads to no
/// Parquet or to a table that was there before, and for more than 64 levels; SchemaError for a table without the
/// columns of a level, and for a last one that has no chunks.
Chain read_chain(std::shared_ptr<const ByteSource> source, const LevelTable& level0, ByteRange first,
                 const std::string& path);

struct SettledLevel {
  std::shared_ptr<const LevelTable> table = {};
  std::vector<int64_t> places = {};  ///< row of `table` for each row as it is stored; empty: the same
};

/// `level` as a reader needs it: rows in the order of their parents, `internal:parent_id` their rows in `above`, and
/// offsets that count from the first byte of the file. Parents are those of `tortilla:parent`, else of `tortilla:root`
/// (ids or a row), else the samples that the rows lie in; offsets that fit the parent only when they count from it do.
/// `level` itself when it is all that. Throws FormatError for a row without such a parent, or outside of it.
SettledLevel settled(const std::shared_ptr<const LevelTable>& level, const SettledLevel& above);

}  // namespace tacore::v1
