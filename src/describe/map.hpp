#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "describe/facts.hpp"
#include "describe/footprint.hpp"

namespace tacore::descriptions {

/// The centre of a sample, in degrees.
struct MapPoint {
  float lon, lat;
};

/// The content of the map of a page: the footprints of few samples, or the centres of many.
struct MapData {
  std::vector<Footprint> footprints = {};
  std::vector<MapPoint> points = {};
  int level = 0;                   ///< of these
  int64_t num_samples = 0;         ///< of that level
  std::vector<BBox> sources = {};  ///< extents of the parts of an index
  std::optional<BBox> extent = {};
  std::vector<MapPoint> marks = {};  ///< drawn above the others
  std::string about_marks = {};      ///< what they are, for the caption
};

/// The extents of the dataset and of its parts, without footprints.
MapData extents(const Facts& facts);
/// The extents and the footprints of the first level that has columns of places.
MapData map_data(const Dataset& dataset, const Facts& facts, const DescribeOptions& options);

/// An HTML figure with one or two SVG maps and a caption; "" when no place is known.
std::string draw_map(const MapData& data);

}  // namespace tacore::descriptions
