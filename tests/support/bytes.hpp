#pragma once

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// For tests: bytes spelled field by field, and sample files.
namespace tacore::test {

class Bytes {
 public:
  Bytes& u8(uint64_t value) { return number(value, 1); }
  Bytes& u16(uint64_t value) { return number(value, 2); }
  Bytes& u32(uint64_t value) { return number(value, 4); }
  Bytes& u64(uint64_t value) { return number(value, 8); }
  Bytes& zeros(std::size_t count) { return text(std::string(count, '\0')); }
  Bytes& text(std::string_view value) { return add(std::as_bytes(std::span(value))); }
  Bytes& add(std::span<const std::byte> value) {
    bytes_.insert(bytes_.end(), value.begin(), value.end());
    return *this;
  }
  /// Replaces the bytes at `offset`.
  Bytes& patch(std::size_t offset, const Bytes& value) {
    for (std::size_t i = 0; i < value.size(); ++i) bytes_.at(offset + i) = value.bytes_[i];
    return *this;
  }
  Bytes& cut_to(std::size_t size) {
    bytes_.resize(size);
    return *this;
  }

  std::size_t size() const { return bytes_.size(); }
  std::span<const std::byte> span() const { return bytes_; }
  std::span<const std::byte> part(uint64_t offset, uint64_t size) const { return span().subspan(offset, size); }

 private:
  Bytes& number(uint64_t value, int num_bytes) {
    for (int i = 0; i < num_bytes; ++i) bytes_.push_back(static_cast<std::byte>(value >> (8 * i)));
    return *this;
  }

  std::vector<std::byte> bytes_ = {};
};

inline std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

/// A ZIP that the published tools wrote; support.hpp tells whether it is missing().
inline Bytes golden_zip(const std::string& name) {
  std::ifstream file(TACORE_SHARED_DIR "/golden/v2/zip/" + name, std::ios::binary);
  return Bytes().text(std::string(std::istreambuf_iterator<char>(file), {}));
}

}  // namespace tacore::test
