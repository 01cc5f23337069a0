#include "tacore/extensions/spatial_grouping.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "extensions/columns.hpp"
#include "extensions/tortilla_centroids.hpp"
#include "tacore/error.hpp"
#include "tacore/write/byte_size.hpp"
#include "tacore/write/sample.hpp"

namespace tacore::extensions {

namespace {

constexpr int kBits = 21;
constexpr uint64_t kMost = (uint64_t{1} << kBits) - 1;

uint64_t on_axis(double degrees, double turn) {
  const double at = (degrees + turn / 2) / turn * static_cast<double>(kMost);
  return static_cast<uint64_t>(std::clamp(at, 0., static_cast<double>(kMost)));
}

std::string group_code(int64_t number) {
  char out[32];
  std::snprintf(out, sizeof out, "sg%04lld", static_cast<long long>(number));
  return out;
}

struct GroupingLimits {
  int64_t count = std::numeric_limits<int64_t>::max();
  uint64_t bytes = std::numeric_limits<uint64_t>::max();
};

GroupingLimits grouping_limits(const SpatialGroupingOptions& options) {
  if (!options.target_count && !options.target_size) {
    throw SchemaError("Must specify at least one of target_count, target_size");
  }
  if (options.target_count && *options.target_count < 1) {
    throw SchemaError("target_count must be positive, found " + std::to_string(*options.target_count));
  }
  GroupingLimits out;
  if (options.target_count) out.count = *options.target_count;
  try {
    if (options.target_size) out.bytes = parse_size(*options.target_size);
  } catch (const ValidationError& error) {
    throw SchemaError("Invalid target_size format: " + error.message());
  }
  return out;
}

}  // namespace

uint64_t zorder(const LonLat& at) noexcept {
  const uint64_t x = on_axis(at.lon, 360);
  const uint64_t y = on_axis(at.lat, 180);
  uint64_t out = 0;
  for (int bit = 0; bit < kBits; ++bit) out |= (x >> bit & 1) << (2 * bit) | (y >> bit & 1) << (2 * bit + 1);
  return out;
}

std::vector<std::optional<std::string>> spatial_groups(std::span<const std::optional<LonLat>> positions,
                                                       std::span<const uint64_t> sizes,
                                                       const SpatialGroupingOptions& options) {
  const GroupingLimits limits = grouping_limits(options);
  struct Place {
    uint64_t on_curve;
    std::size_t row;
    auto operator<=>(const Place&) const = default;  // equal places stay in the order of rows
  };
  std::vector<Place> order;
  for (std::size_t row = 0; row < positions.size(); ++row) {
    const auto& at = positions[row];
    if (at && std::isfinite(at->lon) && std::isfinite(at->lat)) order.push_back({zorder(*at), row});
  }
  if (order.empty()) throw SchemaError("No valid centroids found: no sample has a position to be grouped by");
  std::sort(order.begin(), order.end());

  std::vector<std::optional<std::string>> out(positions.size());
  int64_t group = 0;
  int64_t count = 0;
  uint64_t bytes = 0;
  for (const Place& place : order) {
    const uint64_t size = sizes[place.row];
    // bytes may be beyond the limit already, by one sample that is.
    const bool too_large = bytes > limits.bytes || size > limits.bytes - bytes;
    if (count > 0 && (count >= limits.count || too_large)) {
      ++group;
      count = 0;
      bytes = 0;
    }
    ++count;
    bytes += size;
    out[place.row] = group_code(group);
  }
  return out;
}

SpatialGrouping::SpatialGrouping(const SpatialGroupingOptions& options) : options_(options) {
  grouping_limits(options);  // throws for a wrong option
}

std::vector<FieldDescription> SpatialGrouping::schema() const { return schema_of("spatial_grouping"); }

std::vector<std::vector<Value>> SpatialGrouping::compute(const Tortilla& tortilla) const {
  std::vector<std::vector<Value>> out(1);
  for (const auto& code : spatial_groups(centroids_of(tortilla), tortilla.sizes(), options_)) {
    out[0].push_back(value_of(code));
  }
  return out;
}

}  // namespace tacore::extensions
