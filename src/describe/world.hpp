#pragma once

#include <span>

namespace tacore::descriptions {

struct LonLatPoint {
  float lon;
  float lat;
};

/// A coarse outline of the land, drawn by hand for these pages: rings, to be closed, of degrees. Good for telling the
/// continents apart, and for nothing else.
std::span<const std::span<const LonLatPoint>> world_outline();

}  // namespace tacore::descriptions
