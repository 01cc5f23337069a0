#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "tacore/visibility.hpp"

namespace tacore {

/// The position of a geometry without a location, which is last.
inline constexpr uint64_t kNoPlace = std::numeric_limits<uint64_t>::max();

/// The positions of geometries (WKB, in degrees of longitude and latitude; nullopt: none) on the Hilbert curve by which
/// `CreateOptions::order` "hilbert" sorts samples: those of the centres of their bounding boxes. kNoPlace for a
/// geometry that is absent or empty. For work that many machines share. Throws FormatError, with the position in
/// `geometries`, for bytes that are not WKB.
TACORE_EXPORT std::vector<uint64_t> hilbert_positions(std::span<const std::optional<std::string_view>> geometries);

}  // namespace tacore
