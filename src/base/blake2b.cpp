#include "base/blake2b.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "base/little_endian.hpp"

namespace tacore {
namespace {

constexpr std::size_t kBlakeBlock = 128;
using BlakeState = std::array<uint64_t, 8>;

/// RFC 7693, 2.6.
constexpr BlakeState kInitial{0x6A09E667F3BCC908, 0xBB67AE8584CAA73B, 0x3C6EF372FE94F82B, 0xA54FF53A5F1D36F1,
                              0x510E527FADE682D1, 0x9B05688C2B3E6C1F, 0x1F83D9ABFB41BD6B, 0x5BE0CD19137E2179};

/// RFC 7693, 2.7: the order of the words of a block in each round.
constexpr uint8_t kSigma[10][16] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4}, {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13}, {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11}, {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5}, {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0}};

/// RFC 7693, 3.1.
void mix(std::array<uint64_t, 16>& v, std::size_t a, std::size_t b, std::size_t c, std::size_t d, uint64_t x,
         uint64_t y) {
  v[a] += v[b] + x;
  v[d] = std::rotr(v[d] ^ v[a], 32);
  v[c] += v[d];
  v[b] = std::rotr(v[b] ^ v[c], 24);
  v[a] += v[b] + y;
  v[d] = std::rotr(v[d] ^ v[a], 16);
  v[c] += v[d];
  v[b] = std::rotr(v[b] ^ v[c], 63);
}

/// RFC 7693, 3.2. `num_bytes`: those of the message up to the end of this block.
void compress(BlakeState& state, std::span<const std::byte> block, uint64_t num_bytes, bool is_last) {
  std::array<uint64_t, 16> words, v;
  Cursor cursor(block, "block");
  for (uint64_t& word : words) word = cursor.u64();
  std::ranges::copy(state, v.begin());
  std::ranges::copy(kInitial, v.begin() + 8);
  v[12] ^= num_bytes;
  if (is_last) v[14] = ~v[14];
  for (std::size_t round = 0; round < 12; ++round) {
    const auto& s = kSigma[round % 10];
    for (std::size_t i = 0; i < 4; ++i) mix(v, i, i + 4, i + 8, i + 12, words[s[2 * i]], words[s[2 * i + 1]]);
    for (std::size_t i = 0; i < 4; ++i)
      mix(v, i, (i + 1) % 4 + 4, (i + 2) % 4 + 8, (i + 3) % 4 + 12, words[s[2 * i + 8]], words[s[2 * i + 9]]);
  }
  for (std::size_t i = 0; i < 8; ++i) state[i] ^= v[i] ^ v[i + 8];
}

}  // namespace

std::vector<std::byte> blake2b(std::span<const std::byte> bytes, std::size_t digest_size) {
  BlakeState state = kInitial;
  state[0] ^= 0x01010000 ^ digest_size;
  const uint64_t num_bytes = bytes.size();
  for (; bytes.size() > kBlakeBlock; bytes = bytes.subspan(kBlakeBlock))
    compress(state, bytes.first(kBlakeBlock), num_bytes - bytes.size() + kBlakeBlock, false);
  std::array<std::byte, kBlakeBlock> last = {};
  std::ranges::copy(bytes, last.begin());
  compress(state, last, num_bytes, true);
  FieldWriter out;
  for (const uint64_t word : state) out.u64(word);
  auto digest = out.take();
  digest.resize(digest_size);
  return digest;
}

}  // namespace tacore
