#include "raster/permutation.hpp"

#include <bit>

namespace tacore {

uint64_t mix_bits(uint64_t value) noexcept {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

Permutation::Permutation(int64_t size, uint64_t key) : size_(static_cast<uint64_t>(size)) {
  const int bits = size > 1 ? static_cast<int>(std::bit_width(size_ - 1)) : 1;
  half_bits_ = (bits + 1) / 2;
  for (auto& round : keys_) round = mix_bits(key += 0x9e3779b97f4a7c15);
}

int64_t Permutation::operator()(int64_t position) const {
  const uint64_t mask = (uint64_t{1} << half_bits_) - 1;
  auto at = static_cast<uint64_t>(position);
  do {
    uint64_t left = at >> half_bits_, right = at & mask;
    for (const uint64_t key : keys_) {
      const uint64_t mixed = left ^ (mix_bits(right + key) & mask);
      left = right;
      right = mixed;
    }
    at = left << half_bits_ | right;
  } while (at >= size_);
  return static_cast<int64_t>(at);
}

int64_t Permutation::position_of(int64_t element) const {
  const uint64_t mask = (uint64_t{1} << half_bits_) - 1;
  auto at = static_cast<uint64_t>(element);
  do {
    uint64_t left = at >> half_bits_, right = at & mask;
    for (auto key = keys_.rbegin(); key != keys_.rend(); ++key) {
      const uint64_t mixed = right ^ (mix_bits(left + *key) & mask);
      right = left;
      left = mixed;
    }
    at = left << half_bits_ | right;
  } while (at >= size_);
  return static_cast<int64_t>(at);
}

}  // namespace tacore
