#include "fuzz.hpp"
#include "model/wkb.hpp"

/// The input is a geometry as text.
namespace tacore::fuzz {
namespace {

void run(Input bytes) {
  static const BoxTest world(BBox{}), small({-10, 35, 5, 45});
  const auto in_world = world.meets_wkt(text_of(bytes)), in_small = small.meets_wkt(text_of(bytes));
  require(in_world.has_value() == in_small.has_value(), "whether it is a point is no matter of the box");
  require(!in_small.value_or(false) || *in_world, "what meets a part meets the whole");
}

}  // namespace
}  // namespace tacore::fuzz

TACORE_FUZZ_TARGET(tacore::fuzz::run)
