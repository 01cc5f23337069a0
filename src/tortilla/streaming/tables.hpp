#pragma once

#include "tacore/write/parquet_options.hpp"
#include "tortilla/streaming/togs.hpp"
#include "tortilla/write/writer.hpp"

namespace tacore::v1 {

/// Throws ValidationError for a tree that cannot be streamed: an id with `/` or `::`, samples that differ in what is
/// below them (dossier v1 3.1 j, 3.2).
void check_streamable(const Tree& tree);

/// What follows the samples of a part: `histograms`, unless there are none, the table of chunks, those of the levels
/// from the deepest up, each with a pointer to the one before it, and level 0 as the footer (dossier v1 3.2).
Tables streaming_tables(const TortillaPart& part, const Togs& togs, const ParquetOptions& parquet,
                        Bytes histograms = {});

}  // namespace tacore::v1
