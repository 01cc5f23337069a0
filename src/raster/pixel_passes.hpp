#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "tacore/raster/histogram.hpp"
#include "tacore/raster/raster.hpp"

namespace tacore {

/// Calls `body` with the position of a band in `bands` (from 1) and its pixels in one piece of the raster after the
/// other. Pieces are of whole blocks, and as many as 16 MiB hold. Throws as Raster::read.
void for_each_piece(const Raster& raster, const std::vector<int>& bands,
                    const std::function<void(std::size_t, std::span<const std::byte>)>& body);

/// Exact quantiles of the valid pixels of a band, of which `histogram` is the histogram; reads them again where that
/// is not enough.
std::vector<double> exact_quantiles(const Raster& raster, int band, const Histogram& histogram,
                                    std::span<const double> probabilities);

}  // namespace tacore
