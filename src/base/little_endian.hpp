#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tacore/error.hpp"

namespace tacore {

/// Reads little-endian fields from bytes of unknown origin, in order; going past the end is a
/// FormatError that names the structure and the byte.
class Cursor {
 public:
  /// `origin` is the offset of bytes[0] in the file, for messages. `what` must outlive the cursor.
  Cursor(std::span<const std::byte> bytes, const char* what, uint64_t origin = 0)
      : bytes_(bytes), what_(what), origin_(origin) {}

  uint16_t u16() { return number<uint16_t>(); }
  uint32_t u32() { return number<uint32_t>(); }
  uint64_t u64() { return number<uint64_t>(); }
  uint8_t u8() { return number<uint8_t>(); }
  std::span<const std::byte> take(uint64_t size) {
    if (size > remaining()) fail(size);
    const auto out = bytes_.subspan(position_, size);
    position_ += size;
    return out;
  }
  std::string_view text(uint64_t size) {
    const auto out = take(size);
    return {reinterpret_cast<const char*>(out.data()), out.size()};
  }
  void skip(uint64_t size) { take(size); }

  uint64_t position() const noexcept { return position_; }
  uint64_t remaining() const noexcept { return bytes_.size() - position_; }

 private:
  template <class T>
  T number() {
    const auto in = take(sizeof(T));
    uint64_t out = 0;
    for (std::size_t i = sizeof(T); i-- > 0;) out = out << 8 | static_cast<uint64_t>(in[i]);
    return static_cast<T>(out);
  }
  [[noreturn]] void fail(uint64_t size) const {
    throw FormatError(std::string(what_) + " is truncated: needs " + std::to_string(size) + " more bytes, found " +
                          std::to_string(remaining()),
                      {.offset = origin_ + position_});
  }

  std::span<const std::byte> bytes_;
  const char* what_;
  uint64_t origin_;
  uint64_t position_ = 0;
};

/// Appends little-endian fields, as Cursor reads them.
class FieldWriter {
 public:
  void u8(uint8_t value) { number(value); }
  void u16(uint16_t value) { number(value); }
  void u32(uint32_t value) { number(value); }
  void u64(uint64_t value) { number(value); }
  void text(std::string_view text) {
    for (const char c : text) bytes_.push_back(static_cast<std::byte>(c));
  }
  void bytes(std::span<const std::byte> bytes) { bytes_.insert(bytes_.end(), bytes.begin(), bytes.end()); }

  std::size_t size() const noexcept { return bytes_.size(); }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  template <class T>
  void number(T value) {
    for (std::size_t i = 0; i < sizeof(T); ++i) bytes_.push_back(static_cast<std::byte>(value >> (8 * i)));
  }

  std::vector<std::byte> bytes_;
};

}  // namespace tacore
