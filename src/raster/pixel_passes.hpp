#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "tacore/raster/histogram.hpp"
#include "tacore/raster/raster.hpp"

namespace tacore {

/// Reads a raster piece by piece and calls `body` with the position of each band in `bands` (from 1) and its pixels.
/// Pieces are whole blocks, as many as fit in 16 MiB. Throws as Raster::read.
void for_each_piece(const Raster& raster, const std::vector<int>& bands,
                    const std::function<void(std::size_t, std::span<const std::byte>)>& body);

/// The same with memory for pixels that serves for several rasters: new memory for each costs as much as decoding.
void for_each_piece(const Raster& raster, const std::vector<int>& bands, std::vector<std::byte>& pixels,
                    const std::function<void(std::size_t, std::span<const std::byte>)>& body);

/// The same, with the window that each piece has.
void for_each_window(const Raster& raster, const std::vector<int>& bands,
                     const std::function<void(std::size_t, const Window&, std::span<const std::byte>)>& body);

/// Exact quantiles of the valid pixels of a band, whose histogram is `histogram`. Reads the pixels again where the
/// histogram does not determine them.
std::vector<double> exact_quantiles(const Raster& raster, int band, const Histogram& histogram,
                                    std::span<const double> probabilities);

}  // namespace tacore
