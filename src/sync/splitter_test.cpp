#include "sync/splitter.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "support/support.hpp"

namespace tacore {
namespace {

std::vector<std::string> chunks_of(std::string_view text, std::size_t mean = kMeanChunk) {
  std::vector<std::string> out;
  while (!text.empty()) {
    const std::size_t size = first_chunk(std::as_bytes(std::span(text)), mean);
    REQUIRE(size > 0);
    REQUIRE(size <= text.size());
    out.emplace_back(text.substr(0, size));
    text.remove_prefix(size);
  }
  return out;
}

/// The part of the bytes of `chunks` that lies in chunks of `known`.
double share(const std::vector<std::string>& chunks, const std::vector<std::string>& known) {
  const std::set<std::string> set(known.begin(), known.end());
  double shared = 0, all = 0;
  for (const auto& chunk : chunks) {
    all += static_cast<double>(chunk.size());
    if (set.contains(chunk)) shared += static_cast<double>(chunk.size());
  }
  return shared / all;
}

TEST_CASE("Chunk sizes lie between a quarter and four times the mean, and average to it") {
  for (const std::size_t mean : {kMeanChunk, kMeanTableChunk}) {
    CAPTURE(mean);
    const auto chunks = chunks_of(noise(8 << 20, 1), mean);
    std::set<std::size_t> sizes;
    for (std::size_t i = 0; i + 1 < chunks.size(); ++i) {
      CHECK(chunks[i].size() > mean / 4);
      CHECK(chunks[i].size() <= 4 * mean);
      sizes.insert(chunks[i].size());
    }
    CHECK(sizes.size() > chunks.size() / 2);
    const std::size_t found = (8 << 20) / chunks.size();
    CHECK(found > mean * 3 / 4);
    CHECK(found < mean * 5 / 4);
  }
}

TEST_CASE("A stream of one repeated byte is cut at the maximum size") {
  const auto chunks = chunks_of(std::string(2 * kMaxChunk + 5, '\0'));
  REQUIRE(chunks.size() == 3);
  CHECK(chunks[0].size() == kMaxChunk);
  CHECK(chunks[2].size() == 5);
}

TEST_CASE("A short stream is one chunk, and an empty one has none") {
  CHECK(first_chunk({}) == 0);
  for (const std::size_t size : {std::size_t{1}, kMeanChunk / 4 - 1, kMeanChunk / 4, kMeanChunk / 4 + 1}) {
    const std::string text = noise(size, 2);
    CHECK(first_chunk(std::as_bytes(std::span(text))) == size);
  }
}

TEST_CASE("The end of a chunk does not depend on bytes beyond the maximum size") {
  const std::string text = noise(4 * kMaxChunk, 3);
  const auto bytes = std::as_bytes(std::span(text));
  for (std::size_t at = 0; at + kMaxChunk <= bytes.size(); at += 10'007) {
    CHECK(first_chunk(bytes.subspan(at)) == first_chunk(bytes.subspan(at, kMaxChunk)));
  }
}

TEST_CASE("Bytes after an insertion, a removal or a change fall into their old chunks") {
  const std::string text = noise(8 << 20, 4);
  const auto before = chunks_of(text);
  const std::size_t middle = text.size() / 2;
  CHECK(share(chunks_of(noise(100, 5) + text), before) > 0.95);
  CHECK(share(chunks_of(std::string(text).insert(middle, noise(1000, 6))), before) > 0.95);
  CHECK(share(chunks_of(std::string(text).erase(middle, 1)), before) > 0.95);
  CHECK(share(chunks_of(std::string(text).replace(middle, 1, "?!")), before) > 0.95);
  CHECK(share(chunks_of(noise(8 << 20, 7)), before) == 0);
}

TEST_CASE("The chunk boundaries of given bytes are those of existing stores") {
  std::vector<std::size_t> sizes;
  for (const auto& chunk : chunks_of(noise(300'000, 8))) sizes.push_back(chunk.size());
  CHECK(sizes == std::vector<std::size_t>{103731, 30581, 84463, 72367, 8858});
}

}  // namespace
}  // namespace tacore
