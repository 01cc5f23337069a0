#include "model/collection_json.hpp"

#include "fuzz.hpp"
#include "model/json_text.hpp"

/// The input is a COLLECTION.json.
namespace tacore::fuzz {
namespace {

void run(Input bytes) {
  const std::string_view text = text_of(bytes);
  expect_errors_only([&] {
    const Collection collection = parse_collection(text, "fuzz");
    require(collection.json == text, "the document is kept as it is");
    const std::string one_line = reformat_json(text, -1);
    require(reformat_json(reformat_json(text, 2), -1) == one_line, "white space alone changes");
    const std::string written = encode_collection(collection);
    require(encode_collection(parse_collection(written, "fuzz")) == written, "what is written is read to the same");
    require(parse_collection(one_line, "fuzz").pit_schema == collection.pit_schema, "and the meaning does not");
  });
  expect_errors_only([&] { reformat_json(text, 4); });
  json_string(text);
}

}  // namespace
}  // namespace tacore::fuzz

TACORE_FUZZ_TARGET(tacore::fuzz::run)
