#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "describe/facts.hpp"
#include "describe/footprint.hpp"

namespace tacore::descriptions {

/// What a map shows: footprints of samples, evenly chosen where there are many.
struct MapData {
  std::vector<Footprint> footprints = {};
  int level = 0;                   ///< that they are of
  int64_t num_samples = 0;         ///< of that level
  int64_t step = 1;                ///< of how many samples one is chosen
  std::vector<BBox> sources = {};  ///< of the parts of an index
  std::optional<BBox> extent = {};
};

/// The extents of the dataset and its parts alone.
MapData extents(const Facts& facts);
/// With the footprints of the first level that has places.
MapData map_data(const Dataset& dataset, const Facts& facts, const DescribeOptions& options);

/// SVG figures with captions; "" where nothing is known.
std::string draw_map(const MapData& data);

}  // namespace tacore::descriptions
