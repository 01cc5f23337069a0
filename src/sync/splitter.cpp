#include "sync/splitter.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

namespace tacore {
namespace {

/// A random number for each byte value: the first 256 of SplitMix64 from 0.
constexpr std::array<uint64_t, 256> make_gear() {
  std::array<uint64_t, 256> out = {};
  uint64_t state = 0;
  for (uint64_t& number : out) {
    state += 0x9E3779B97F4A7C15;
    number = (state ^ state >> 30) * 0xBF58476D1CE4E5B9;
    number = (number ^ number >> 27) * 0x94D049BB133111EB;
    number ^= number >> 31;
  }
  return out;
}

constexpr std::array<uint64_t, 256> kGear = make_gear();

}  // namespace

std::size_t first_chunk(std::span<const std::byte> bytes, std::size_t mean) noexcept {
  // A chunk ends where the highest bits of the hash, which depend on the last 64 bytes, are 0: log2(mean) bits, two
  // more before the mean size is reached and two fewer after it, which narrows the distribution of sizes.
  const int num_bits = std::countr_zero(mean), shift_before = 64 - num_bits - 2, shift_after = 64 - num_bits + 2;
  const std::size_t end = std::min(bytes.size(), 4 * mean), middle = std::min(end, mean);
  uint64_t hash = 0;
  std::size_t i = mean / 4;
  for (; i < middle; ++i) {
    hash = (hash << 1) + kGear[std::to_integer<std::size_t>(bytes[i])];
    if (hash >> shift_before == 0) return i + 1;
  }
  for (; i < end; ++i) {
    hash = (hash << 1) + kGear[std::to_integer<std::size_t>(bytes[i])];
    if (hash >> shift_after == 0) return i + 1;
  }
  return end;
}

}  // namespace tacore
