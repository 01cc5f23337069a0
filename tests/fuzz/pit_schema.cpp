#include "tacore/pit_schema.hpp"

#include <string>

#include "fuzz.hpp"

/// The input is a taco:pit_schema.
namespace tacore::fuzz {
namespace {

void run(Input bytes) {
  expect_errors_only([&] {
    const PitSchema schema = PitSchema::parse(std::string(text_of(bytes)));
    require(schema.max_depth() >= 0 && schema.max_depth() <= 5, "six levels at most");
    require(PitSchema::parse(schema.to_json()) == schema, "what is written reads the same");
    require(schema.is_compatible(schema), "a schema fits itself");
  });
}

}  // namespace
}  // namespace tacore::fuzz

TACORE_FUZZ_TARGET(tacore::fuzz::run)
