#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "io/byte_source.hpp"

namespace tacore {

/// The TIFF of counts that a precomputed histogram is (dossier v1 4.6): `width` bins of each of `bands` bands in the
/// row of each sample, in strips of about 64 KiB, compressed. `row(i)` gives the counts of row i, the bands of a bin
/// next to each other; it is called from `jobs` threads. The same counts give the same bytes.
Bytes encode_count_tiff(int64_t width, int64_t num_rows, int bands, int jobs,
                        const std::function<std::vector<uint32_t>(int64_t)>& row);

}  // namespace tacore
