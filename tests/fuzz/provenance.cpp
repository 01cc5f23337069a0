#include "export/provenance.hpp"

#include "fuzz.hpp"

/// The input is the taco:provenance of a COLLECTION.json.
namespace tacore::fuzz {
namespace {

void run(Input bytes) {
  const std::string text(text_of(bytes));
  expect_errors_only([&] {
    const Provenance found = parse_provenance(text, "fuzz");
    require(found.output.find('/') == std::string::npos && found.output != "..", "the output is a plain name");
    for (const auto& source : found.sources)
      require(source.file.find('/') == std::string::npos && source.file != "..", "a source is a plain name");
    const std::string written = encode_provenance(found);
    require(encode_provenance(parse_provenance(written, "fuzz")) == written, "what is written is read to the same");
  });
}

}  // namespace
}  // namespace tacore::fuzz

TACORE_FUZZ_TARGET(tacore::fuzz::run)
