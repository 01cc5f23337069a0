#pragma once

#include <array>
#include <cstdint>

namespace tacore {

/// A permutation of [0, size) that is computed and never stored: any element in constant time and memory. A balanced
/// Feistel network over the smallest power of four that is not below `size`; what falls outside goes through it again
/// (cycle walking, less than four times on average). The same numbers give the same permutation on every machine and
/// in every version: resumed trainings rely on it.
class Permutation {
 public:
  /// `size` from 0 to 2^63 - 1; different keys give unrelated permutations.
  Permutation(int64_t size, uint64_t key);

  /// Where `position`, in [0, size), goes.
  int64_t operator()(int64_t position) const;

 private:
  static constexpr int kRounds = 8;

  uint64_t size_;
  int half_bits_;
  std::array<uint64_t, kRounds> keys_;
};

/// The bits of `value`, well mixed; a bijection (the finisher of SplitMix64).
uint64_t mix_bits(uint64_t value) noexcept;

}  // namespace tacore
