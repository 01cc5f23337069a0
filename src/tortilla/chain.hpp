#pragma once

#include <memory>
#include <string>
#include <vector>

#include "io/byte_source.hpp"
#include "table/level_table.hpp"
#include "tortilla/chunk_table.hpp"

/// The chain of tables in a streaming TACO 0.2.0: level 0, 1, ..., n, chunks.
namespace tacore::v1 {

/// The tables after level 0, as they are stored.
struct Chain {
  std::vector<std::shared_ptr<const LevelTable>> levels = {};  ///< from level 1 on
  std::shared_ptr<const ChunkTable> chunks = {};
};

/// Follows the pointers from `level0`, which has one and is in `first`. The range in its hint `taco:footer` is read in
/// one request if it is small. Throws FormatError for a pointer that goes beyond the end of the file, points into its
/// header, to no Parquet or to an earlier table, and for more than 64 levels; SchemaError for a table without the
/// columns of a level, and for a last one without chunks.
Chain read_chain(std::shared_ptr<const ByteSource> source, const LevelTable& level0, ByteRange first,
                 const std::string& path);

struct SettledLevel {
  std::shared_ptr<const LevelTable> table = {};
  std::vector<int64_t> places = {};  ///< row of `table` for each row as it is stored; empty: the same
};

/// `level` in the form that readers need: rows in the order of their parents, `internal:parent_id` their rows in
/// `above`, and offsets counted from the start of the file. Parents are those of `tortilla:parent`, else of
/// `tortilla:root` (ids or a row), else the samples that contain the bytes; offsets count from the parent if only then
/// they lie in it. Returns `level` itself if nothing changes. Throws FormatError for a row without a parent, or outside
/// of it.
SettledLevel settled(const std::shared_ptr<const LevelTable>& level, const SettledLevel& above);

}  // namespace tacore::v1
