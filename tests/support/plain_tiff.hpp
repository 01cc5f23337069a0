#pragma once

#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "base/little_endian.hpp"

namespace tacore {

/// A TIFF for tests: `values` of shape (bands, height, width), little-endian, uncompressed, a strip for each band. The
/// values of BitsPerSample and SampleFormat of more than two bands stand before the directory, as strip offsets do.
template <class T>
std::vector<std::byte> plain_tiff(uint32_t width, uint32_t height, const std::vector<T>& values,
                                  const std::string& nodata = "") {
  const auto bands = static_cast<uint32_t>(values.size() / (width * height));
  const uint32_t strip = width * height * static_cast<uint32_t>(sizeof(T));
  FieldWriter out;
  out.text("II");
  out.u16(42);
  const uint32_t lists = bands > 2 ? 4 * bands : 0;
  out.u32(8 + strip * bands + 8 * bands + lists + static_cast<uint32_t>(nodata.size()));
  out.bytes(std::as_bytes(std::span(values)));
  for (uint32_t b = 0; b < bands; ++b) out.u32(8 + b * strip);
  for (uint32_t b = 0; b < bands; ++b) out.u32(strip);
  const uint16_t bits = 8 * sizeof(T), format = std::is_floating_point_v<T> ? 3 : std::is_signed_v<T> ? 2 : 1;
  for (const uint16_t value : {bits, format}) {
    for (uint32_t b = 0; b < lists / 4; ++b) out.u16(value);
  }
  out.text(nodata);

  const uint32_t behind = 8 + strip * bands;
  out.u16(nodata.empty() ? 11 : 12);
  const auto entry = [&](uint16_t tag, uint16_t type, uint32_t count, uint32_t value) {
    out.u16(tag);
    out.u16(type);
    out.u32(count);
    out.u32(value);
  };
  const auto each = [&](uint32_t value, uint32_t list) {
    return bands == 1 ? value : bands == 2 ? value << 16 | value : list;
  };
  entry(256, 4, 1, width);
  entry(257, 4, 1, height);
  entry(258, 3, bands, each(bits, behind + 8 * bands));
  entry(259, 3, 1, 1);
  entry(262, 3, 1, 1);
  entry(273, 4, bands, bands == 1 ? 8 : behind);
  entry(277, 3, 1, bands);
  entry(278, 4, 1, height);
  entry(279, 4, bands, bands == 1 ? strip : behind + 4 * bands);
  entry(284, 3, 1, 2);
  entry(339, 3, bands, each(format, behind + 10 * bands));
  if (!nodata.empty()) {
    const bool is_inline = nodata.size() <= 4;
    uint32_t text = behind + 8 * bands + lists;
    if (is_inline) std::memcpy(&(text = 0), nodata.data(), nodata.size());
    entry(42113, 2, static_cast<uint32_t>(nodata.size()), text);
  }
  out.u32(0);
  return out.take();
}

}  // namespace tacore
