#include "tortilla/pointer.hpp"

#include "fuzz.hpp"

/// The input is the text of a pointer, or of a footer hint.
namespace tacore::fuzz {
namespace {

void run(Input bytes) {
  expect_errors_only([&] {
    const auto range = v1::parse_pointer(text_of(bytes));
    require(v1::parse_pointer(v1::encode_pointer(range)) == range, "a pointer survives a round trip");
  });
  if (const auto hint = v1::parse_footer_hint(text_of(bytes)))
    require(v1::parse_footer_hint(v1::encode_footer_hint(*hint)) == hint, "a hint survives a round trip");
}

}  // namespace
}  // namespace tacore::fuzz

TACORE_FUZZ_TARGET(tacore::fuzz::run)
