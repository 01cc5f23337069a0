#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "io/byte_source.hpp"

namespace tacore {

/// A TIFF of counts, the form of precomputed histograms in TACO 0.2.0: one row per sample, with `width` bins of `bands`
/// bands, in compressed strips of about 64 KiB. `row(i)` gives the counts of row i, bands interleaved by bin, and is
/// called from `jobs` threads. The same counts give the same bytes.
Bytes encode_count_tiff(int64_t width, int64_t num_rows, int bands, int jobs,
                        const std::function<std::vector<uint32_t>(int64_t)>& row);

}  // namespace tacore
