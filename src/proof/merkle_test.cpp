#include "proof/merkle.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "io/memory_source.hpp"
#include "support/counting.hpp"
#include "support/support.hpp"

namespace tacore {
namespace {

std::vector<Sha256> leaves_of(std::size_t count) {
  std::vector<Sha256> out;
  for (std::size_t i = 0; i < count; ++i) out.push_back(leaf_hash(tacore::bytes_of(std::to_string(i))));
  return out;
}

/// RFC 6962, 2.1, word for word.
Sha256 tree_hash(std::span<const Sha256> leaves) {
  if (leaves.empty()) return sha256(std::span<const std::byte>());
  if (leaves.size() == 1) return leaves[0];
  std::size_t k = 1;
  while (2 * k < leaves.size()) k *= 2;
  return node_hash(tree_hash(leaves.first(k)), tree_hash(leaves.subspan(k)));
}

TEST_CASE("roots are those of Certificate Transparency") {
  const std::string inputs[] = {"",         std::string(1, '\0'), "\x10",     "\x20\x21",
                                "\x30\x31", "\x40\x41\x42\x43",   "PQRSTUVW", "`abcdefghijklmno"};
  std::vector<Sha256> leaves;
  for (const auto& input : inputs) leaves.push_back(leaf_hash(tacore::bytes_of(input)));
  CHECK(hex(root_of({})) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(hex(root_of({leaves[0]})) == "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d");
  CHECK(hex(root_of({leaves[0], leaves[1], leaves[2]})) ==
        "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77");
  CHECK(hex(root_of(leaves)) == "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328");
}

TEST_CASE("roots are those of RFC 6962, and every row is verified by its siblings and no other hash") {
  for (const std::size_t count : {1u, 2u, 3u, 15u, 16u, 17u, 31u, 33u, 255u, 256u, 257u, 1000u, 4096u, 4097u}) {
    CAPTURE(count);
    const auto leaves = leaves_of(count);
    CHECK(root_of(leaves) == tree_hash(leaves));
    const auto source = std::make_shared<CountingSource>(encode_trees({leaves, leaves_of(3)}));
    const MerkleFile file(source);
    REQUIRE(file.levels() == std::vector<LevelRoot>{{count, tree_hash(leaves)}, {3, tree_hash(leaves_of(3))}});
    CHECK(file.leaves(0) == leaves);
    CHECK(file.leaves(1) == leaves_of(3));
    for (const std::size_t row : {std::size_t{0}, count / 2, count - 1}) {
      uint64_t num_bytes = 0;
      const auto number = static_cast<int64_t>(row);
      source->num_questions = 0;
      CHECK(file.wrong_rows(0, {{number, leaves[row]}}, num_bytes).empty());
      CHECK(source->num_questions == 1);
      std::size_t depth = 0;
      for (std::size_t size = count; size > 1; size = (size + 15) / 16) ++depth;
      CHECK(num_bytes <= depth * 512);
      CHECK(file.wrong_rows(0, {{number, leaf_hash({})}}, num_bytes) == std::vector<int64_t>{number});
    }
  }
}

TEST_CASE("several rows are verified together, and the wrong ones told") {
  const auto leaves = leaves_of(600);
  const MerkleFile file(memory_source("trees", encode_trees({leaves})));
  std::map<int64_t, Sha256> rows;
  for (std::size_t row = 3; row < 600; row += 7) rows[static_cast<int64_t>(row)] = leaves[row];
  uint64_t num_bytes = 0;
  CHECK(file.wrong_rows(0, rows, num_bytes).empty());
  rows[10] = leaves[11];
  rows[598] = leaves[0];
  CHECK(file.wrong_rows(0, rows, num_bytes) == std::vector<int64_t>{10, 598});
  CHECK_THROWS_AS(file.wrong_rows(0, {{600, leaves[0]}}, num_bytes), FormatError);
  CHECK_THROWS_AS(file.wrong_rows(0, {{-1, leaves[0]}}, num_bytes), FormatError);
}

TEST_CASE("any changed byte of the trees makes a row wrong, or the file") {
  const auto leaves = leaves_of(40);
  const Bytes bytes = encode_trees({leaves});
  std::map<int64_t, Sha256> rows;
  for (std::size_t row = 0; row < leaves.size(); ++row) rows[static_cast<int64_t>(row)] = leaves[row];
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    Bytes changed = bytes;
    changed[at] ^= std::byte{4};
    CAPTURE(at);
    bool is_found = false;
    try {
      const MerkleFile file(memory_source("trees", changed));
      uint64_t num_bytes = 0;
      is_found = !file.wrong_rows(0, rows, num_bytes).empty();
    } catch (const FormatError&) {
      is_found = true;
    }
    REQUIRE(is_found);
  }
}

TEST_CASE("files of another length or form are refused") {
  const Bytes bytes = encode_trees({leaves_of(40), leaves_of(2)});
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    CAPTURE(size);
    REQUIRE_THROWS_AS(
        MerkleFile(memory_source("t", {bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)})),
        FormatError);
  }
  Bytes longer = bytes;
  longer.push_back({});
  CHECK_THROWS_WITH_AS(MerkleFile(memory_source("t", longer)), doctest::Contains("expected for its numbers of rows"),
                       FormatError);
  const auto refused = [&](std::size_t at, int value, const char* why) {
    Bytes changed = bytes;
    changed[at] = static_cast<std::byte>(value);
    CHECK_THROWS_WITH_AS(MerkleFile(memory_source("t", changed)), doctest::Contains(why), FormatError);
  };
  refused(0, 'X', "'TACOTREE' at its start expected");
  refused(8, 2, "has version 2, 1 expected");
  refused(12, 0, "has 0 levels, 1 to 6 expected");
  refused(12, 7, "has 7 levels");
  refused(16 + 7, 1, "rows of level 0");
  refused(16, 41, "it is truncated");
}

TEST_CASE("the root of a dataset depends on its collection, and on the number and order of levels") {
  const LevelRoot a{1, leaf_hash({})}, b{2, root_of(leaves_of(2))};
  const Sha256 collection = sha256(tacore::bytes_of("c"));
  const Sha256 root = dataset_root(collection, {a, b});
  CHECK(root != dataset_root(collection, {b, a}));
  CHECK(root != dataset_root(collection, {a}));
  CHECK(root != dataset_root(sha256(tacore::bytes_of("d")), {a, b}));
}

}  // namespace
}  // namespace tacore
