#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "table/level_table.hpp"
#include "table/parquet_write.hpp"

/// The side-car of a level: a copy of the level whose rows are in the order of their places, with bounding boxes, an id
/// index and a page index, for filters of tables that have none of these. The column kRowOfLevel has the number of each
/// row in the level, and the key kSidecarKey of the footer has the fingerprint_of() the level (docs/format.md).
namespace tacore {

inline constexpr const char* kSidecarKey = "tacore:sidecar";
inline constexpr const char* kRowOfLevel = "tacore:row";

/// Why level `number` of a dataset has no side-car; "" when it can have one.
std::string why_no_sidecar(const LevelTable& level, int number);

/// Writes the side-car of level `number`. Reads the columns of places, and then all columns once for each 160 MiB of
/// decoded rows. Needs about 0.5 GB of memory, and 40 bytes for each row. `tell` is called with the number of rows
/// written so far, and may throw. Throws as LevelTable::decode(), and SchemaError for a geometry that is not WKB.
void write_sidecar(const LevelTable& level, int number, int jobs, const ByteConsumer& out,
                   const std::function<void(int64_t num_rows)>& tell);

/// Why the rows of a side-car are not those of the level, or its indexes not those of its rows; "" when all are right.
/// Reads all values of both. Throws as LevelTable::decode().
std::string why_wrong_sidecar(const LevelTable& level, const LevelTable& sidecar,
                              const std::function<void(int64_t num_rows)>& tell);

}  // namespace tacore
