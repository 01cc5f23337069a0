#include "tacore/extensions/spatial_grouping.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tacore/error.hpp"

using namespace tacore;
using namespace tacore::extensions;

namespace {

using Positions = std::vector<std::optional<LonLat>>;

/// The codes, `-` for null.
std::vector<std::string> groups(const Positions& positions, const SpatialGroupingOptions& options,
                                std::vector<uint64_t> sizes = {}) {
  sizes.resize(positions.size(), sizes.empty() ? 10 : sizes.back());
  std::vector<std::string> out;
  for (const auto& code : spatial_groups(positions, sizes, options)) out.push_back(code.value_or("-"));
  return out;
}

using Codes = std::vector<std::string>;

}  // namespace

TEST_CASE("positions on the Z-order curve equal those of the published code") {
  CHECK(zorder({0, 0}) == 1099511627775);
  CHECK(zorder({10, 45}) == 3483196451579);
  CHECK(zorder({180, 90}) == 4398046511103);
  CHECK(zorder({-180, -90}) == 0);
}

TEST_CASE("a position outside the globe is clamped to its edge") {
  CHECK(zorder({200, 95}) == zorder({180, 90}));
  CHECK(zorder({-200, -95}) == 0);
}

TEST_CASE("neighbouring samples are in one group") {
  const Positions positions = {LonLat{0, 0}, LonLat{100, 0}, LonLat{1, 1}, LonLat{101, 1}, LonLat{-100, -50}};
  CHECK(groups(positions, {.target_count = 2}) == Codes{"sg0000", "sg0001", "sg0001", "sg0002", "sg0000"});
}

TEST_CASE("a group ends before a size limit, but a single sample may exceed it") {
  const Positions positions(5, LonLat{1, 1});
  CHECK(groups(positions, {.target_size = "1KB"}, {500, 524, 1, 5000, 1}) ==
        Codes{"sg0000", "sg0000", "sg0001", "sg0002", "sg0003"});
  CHECK(groups(positions, {.target_count = 2, .target_size = "1KB"}, {500, 1, 1, 1024, 1}) ==
        Codes{"sg0000", "sg0000", "sg0001", "sg0002", "sg0003"});
}

TEST_CASE("samples at equal positions keep their order") {
  const Positions positions(100, LonLat{5, 5});
  const auto codes = groups(positions, {.target_count = 1});
  CHECK(codes.front() == "sg0000");
  CHECK(codes[41] == "sg0041");
  CHECK(codes.back() == "sg0099");
}

TEST_CASE("a sample without a position has no group, and a dataset without positions is refused") {
  CHECK(groups({LonLat{1, 1}, std::nullopt, LonLat{2, 2}}, {.target_count = 1}) == Codes{"sg0000", "-", "sg0001"});
  CHECK_THROWS_WITH_AS(groups({std::nullopt}, {.target_count = 1}), doctest::Contains("No valid centroids found"),
                       SchemaError);
}

TEST_CASE("missing and non-positive limits are refused") {
  const Positions one = {LonLat{0, 0}};
  CHECK_THROWS_WITH_AS(groups(one, {}), doctest::Contains("Must specify at least one of"), SchemaError);
  CHECK_THROWS_WITH_AS(groups(one, {.target_count = 0}), doctest::Contains("must be positive"), SchemaError);
  CHECK_THROWS_WITH_AS(groups(one, {.target_count = -5}), doctest::Contains("must be positive"), SchemaError);
  CHECK_THROWS_WITH_AS(groups(one, {.target_size = "many"}), doctest::Contains("Invalid target_size format"),
                       SchemaError);
  CHECK_THROWS_AS(groups(one, {.target_size = "0MB"}), SchemaError);
}
