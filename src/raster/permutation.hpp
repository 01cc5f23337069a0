#pragma once

#include <array>
#include <cstdint>

namespace tacore {

/// A permutation of [0, size) that is computed, never stored: any element in constant time and memory. It is a Feistel
/// network over the smallest power of four >= `size`; results out of range go through it again (cycle walking, less
/// than 4 times on average). The same numbers give the same permutation on every machine and in every version: resumed
/// trainings rely on it.
class Permutation {
 public:
  /// `size` from 0 to 2^63 - 1; different keys give unrelated permutations.
  Permutation(int64_t size, uint64_t key);

  /// The element at `position`, which is in [0, size).
  int64_t operator()(int64_t position) const;
  /// The position of `element`, which is in [0, size): the inverse.
  int64_t position_of(int64_t element) const;

 private:
  static constexpr int kRounds = 8;

  uint64_t size_;
  int half_bits_;
  std::array<uint64_t, kRounds> keys_;
};

/// The bits of `value`, well mixed: a bijection (the finaliser of SplitMix64).
uint64_t mix_bits(uint64_t value) noexcept;

}  // namespace tacore
