#include "io/block_source.hpp"

#include <doctest/doctest.h>

#include <random>

#include "support/counting.hpp"

namespace tacore {

TEST_CASE("small reads in the order of a file take one request for each block, and give its bytes") {
  Bytes bytes(10'007);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * 31 + i / 256);
  const auto file = std::make_shared<CountingSource>(bytes);
  const auto source = in_blocks(file, 1000, 2);
  const auto is_right = [&](ByteRange range) {
    const Bytes found = source->read(range);
    return std::ranges::equal(found, std::span(bytes).subspan(range.offset, range.size));
  };
  for (uint64_t at = 0; at + 7 <= bytes.size(); at += 7) CHECK(is_right({at, 7}));
  CHECK(file->num_questions == 11);
  CHECK(is_right({10'000, 7}));  // kept
  CHECK(file->num_questions == 11);
  CHECK(is_right({500, 5000}));  // more than a block
  CHECK(file->num_questions == 12);
  std::mt19937 random(1);
  for (int i = 0; i < 500; ++i) {
    const uint64_t at = random() % bytes.size();
    CHECK(is_right({at, random() % (bytes.size() - at + 1)}));
  }
  CHECK_THROWS_AS(source->read({10'000, 8}), IoError);
}

}  // namespace tacore
