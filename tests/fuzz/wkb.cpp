#include "model/wkb.hpp"

#include <optional>

#include "fuzz.hpp"
#include "model/wkb_centroid.hpp"

/// The input is a geometry.
namespace tacore::fuzz {
namespace {

std::optional<bool> meets(const BoxTest& box, Input wkb) {
  std::optional<bool> out;
  expect_errors_only([&] { out = box.meets_wkb(wkb); });
  return out;
}

void run(Input wkb) {
  static const BoxTest world(BBox{}), small({-10, 35, 5, 45}), across({170, -20, -170, 20});
  std::optional<BBox> envelope;
  bool whole = false;
  expect_errors_only([&] {
    envelope = wkb_envelope(wkb);
    whole = true;
  });
  expect_errors_only([&] {
    const auto centroid = wkb_centroid(wkb);
    require(whole, "a centroid is of a whole geometry");
    require(centroid || !envelope, "what has an envelope has a centroid");
    point_of_wkb(wkb);
    wkb_centroid(wkb, Longitudes::ShorterWay);
  });
  for (const BoxTest* box : {&world, &small, &across}) {
    const auto found = meets(*box, wkb);
    require(found.has_value() == whole, "both ways of looking refuse the same bytes");
    require(!found.value_or(false) || envelope, "an empty geometry meets nothing");
  }
}

}  // namespace
}  // namespace tacore::fuzz

TACORE_FUZZ_TARGET(tacore::fuzz::run)
