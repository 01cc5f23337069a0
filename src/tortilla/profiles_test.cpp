#include "tortilla/profiles.hpp"

#include <doctest/doctest.h>

#include "tacore/error.hpp"
#include "tacore/v1/collection.hpp"

namespace tacore::v1 {
namespace {

using Names = std::vector<std::string>;

const Names kStac = {"tortilla:id",       "stac:crs",        "stac:geotransform",
                     "stac:raster_shape", "stac:time_start", "stac:time_end"};

Names profiles_of(const Names& names) {
  std::vector<Column> columns;
  for (const auto& name : names) columns.push_back({.name = name});
  return profiles(columns);
}

TEST_CASE("a footer has the profiles whose fields are all present") {
  CHECK(profiles_of(kStac) == Names{"stac-tortilla"});
  Names both = kStac;
  for (const char* name : {"elevation", "cisi", "gdp", "hdi", "gmi", "pop", "admin0", "admin1", "admin2"})
    both.push_back(std::string("rai:") + name);
  CHECK(profiles_of(both) == Names{"stac-tortilla", "rai-tortilla"});
  for (std::size_t i = 1; i < both.size(); ++i) {
    Names less = both;
    less.erase(less.begin() + static_cast<std::ptrdiff_t>(i));
    CAPTURE(both[i]);
    CHECK(profiles_of(less) == Names{i < kStac.size() ? "rai-tortilla" : "stac-tortilla"});
  }
  CHECK(profiles_of(Names{}) == Names{});
}

TEST_CASE("missing fields of a profile are reported by their v1 names") {
  CHECK(missing_fields("stac-tortilla", kStac) == Names{});
  CHECK(missing_fields("stac-tortilla", Names{"stac:crs", "stac:tensor_shape"}) ==
        Names{"stac:geotransform", "stac:time_start", "stac:time_end"});
  CHECK(missing_fields("stac-tortilla", Names{})[2] == "stac:raster_shape");
  CHECK(missing_fields("rai-tortilla", Names{"rai:ele", "rai:gdp"}) ==
        Names{"rai:cisi", "rai:hdi", "rai:gmi", "rai:pop", "rai:admin0", "rai:admin1", "rai:admin2"});
  CHECK_THROWS_WITH_AS(missing_fields("stac", kStac), "unknown profile 'stac'; stac-tortilla or rai-tortilla expected",
                       QueryError);
}

}  // namespace
}  // namespace tacore::v1
