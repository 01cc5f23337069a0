#include "fuzz.hpp"
#include "tortilla/collection.hpp"

/// The input is a COLLECTION of TACO 0.2.0.
namespace tacore::fuzz {
namespace {

void run(Input bytes) {
  const std::string_view text = text_of(bytes);
  v1::why_bad_uri(text);
  expect_errors_only([&] {
    const Collection collection = v1::parse_stored_collection(text, "fuzz");
    require(collection.json == text, "the document is kept as it is");
    const std::string written = v1::encode_collection(collection);
    require(v1::encode_collection(v1::parse_stored_collection(written, "fuzz")) == written,
            "what is written is read to the same");
    require(v1::encode_collection(v1::to_v2(collection)) == written, "the names of TACO 2 lead back");
  });
  v1::examine_collection(text);
}

}  // namespace
}  // namespace tacore::fuzz

TACORE_FUZZ_TARGET(tacore::fuzz::run)
