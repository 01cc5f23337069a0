#include "fuzz.hpp"
#include "io/memory_source.hpp"
#include "model/json_text.hpp"
#include "proof/merkle.hpp"
#include "proof/minisign.hpp"
#include "proof/statement.hpp"

/// The input is each of the files that lie beside a signed dataset, a key, or a COLLECTION.json.
namespace tacore::fuzz {
namespace {

void run(Input bytes) {
  const std::string_view text = text_of(bytes);
  expect_errors_only([&] {
    const MerkleFile file(memory_source("fuzz.merkle", Bytes(bytes.begin(), bytes.end())));
    for (int level = 0; level < static_cast<int>(file.levels().size()); ++level) {
      const auto leaves = file.leaves(level);
      uint64_t num_bytes = 0;
      if (!leaves.empty())
        file.wrong_rows(level, {{0, leaves.front()}, {static_cast<int64_t>(leaves.size()) - 1, leaves.back()}},
                        num_bytes);
    }
  });
  expect_errors_only([&] { minisign::parse_signature(text, "fuzz"); });
  expect_errors_only([&] {
    const std::string line = minisign::encode_line(minisign::parse_public_key(text, "fuzz"));
    require(minisign::encode_line(minisign::parse_public_key(line, "again")) == line, "a public key comes back");
  });
  expect_errors_only([&] {
    minisign::SecretKey key, again;
    if (minisign::is_encrypted(text, "fuzz")) return;  // scrypt takes the memory that it was made to take
    minisign::parse_secret_key(text, {}, "fuzz", key);
    minisign::parse_secret_key(minisign::encode(key, {}), {}, "again", again);
    require(again.seed == key.seed && again.id == key.id, "a secret key comes back");
  });
  // Its JSON was parsed before.
  if (text.starts_with('{') && text.ends_with('}') && !where_too_nested(text)) {
    expect_errors_only([&] {
      reformat_json(text, -1);
      const auto found = find_root(text, "fuzz");
      if (!found) return;
      require(found->text.size() == text.size(), "zeros are as long as digits");
      require(find_root(found->text, "again")->text == found->text, "zeros are a root, too");
    });
  }
}

}  // namespace
}  // namespace tacore::fuzz

TACORE_FUZZ_TARGET(tacore::fuzz::run)
