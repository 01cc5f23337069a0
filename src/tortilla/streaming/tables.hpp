#pragma once

#include "tacore/write/parquet_options.hpp"
#include "tortilla/streaming/togs.hpp"
#include "tortilla/write/writer.hpp"

namespace tacore::v1 {

/// Throws ValidationError for a tree that cannot be streamed: an id with `/` or `::`, samples that differ in structure.
void check_streamable(const Tree& tree);

/// The data after the samples of a part: `histograms`, if any, the chunk table, the tables of the levels from the
/// deepest up, each with a pointer to the previous table, and level 0 as the footer.
Tables streaming_tables(const TortillaPart& part, const Togs& togs, const ParquetOptions& parquet,
                        Bytes histograms = {});

}  // namespace tacore::v1
