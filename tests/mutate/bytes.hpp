#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tacore/dataframe.hpp"

namespace tacore::mutate {

inline uint64_t get(const Bytes& bytes, uint64_t at, int width) {
  uint64_t out = 0;
  for (int i = width; i-- > 0;) out = out << 8 | static_cast<uint64_t>(bytes.at(at + static_cast<uint64_t>(i)));
  return out;
}

inline void put(Bytes& bytes, uint64_t at, int width, uint64_t value) {
  for (int i = 0; i < width; ++i) bytes.at(at + static_cast<uint64_t>(i)) = static_cast<std::byte>(value >> 8 * i);
}

inline Bytes part(const Bytes& bytes, uint64_t at, uint64_t size) {
  const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(at);
  return {begin, begin + static_cast<std::ptrdiff_t>(size)};
}

inline void append(Bytes& bytes, const Bytes& more) { bytes.insert(bytes.end(), more.begin(), more.end()); }

/// The bytes with `size` of them at `at` replaced.
inline Bytes spliced(const Bytes& bytes, uint64_t at, uint64_t size, const Bytes& now) {
  Bytes out = part(bytes, 0, at);
  append(out, now);
  append(out, part(bytes, at + size, bytes.size() - at - size));
  return out;
}

inline Bytes to_bytes(std::string_view text) {
  const auto* begin = reinterpret_cast<const std::byte*>(text.data());
  return {begin, begin + text.size()};
}

inline std::string to_text(const Bytes& bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

}  // namespace tacore::mutate
