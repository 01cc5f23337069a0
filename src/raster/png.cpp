#include <libdeflate.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <limits>
#include <memory>
#include <string_view>

#include "base/crc32.hpp"
#include "tacore/error.hpp"
#include "tacore/raster/picture.hpp"

namespace tacore {
namespace {

/// Colour types: grey, grey and alpha, RGB, RGBA (11.2.2).
constexpr std::array<uint8_t, 4> kColourTypes = {0, 4, 2, 6};
constexpr std::byte kPaeth{4};  // filter type (9.2)
constexpr int kLevel = 6;

struct FreeCompressor {
  void operator()(libdeflate_compressor* compressor) const noexcept { libdeflate_free_compressor(compressor); }
};

void put_u32(Bytes& out, uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) out.push_back(static_cast<std::byte>(value >> shift));
}

void put_text(Bytes& out, std::string_view text) {
  for (const char c : text) out.push_back(static_cast<std::byte>(c));
}

/// A chunk (5.3): its length, type, data, and the CRC of the latter two.
void put_chunk(Bytes& out, std::string_view type, std::span<const std::byte> data) {
  put_u32(out, static_cast<uint32_t>(data.size()));
  const std::size_t begin = out.size();
  put_text(out, type);
  out.insert(out.end(), data.begin(), data.end());
  put_u32(out, crc32(std::span(out).subspan(begin)));
}

/// The Paeth predictor (9.4): of left, above and above left the one nearest to left + above - above left.
int nearest(int left, int above, int corner) {
  const int a = std::abs(above - corner), b = std::abs(left - corner), c = std::abs(left + above - 2 * corner);
  if (a <= b && a <= c) return left;
  return b <= c ? above : corner;
}

std::size_t bytes_per_pixel(const Picture& picture) {
  return size_of(picture.type) * static_cast<std::size_t>(picture.channels);
}

void check(const Picture& picture) {
  const auto refuse = [](const std::string& why) { throw ValidationError("no picture for PNG: " + why); };
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  if (picture.width < 1 || picture.height < 1 || picture.width > kMost || picture.height > kMost) {
    refuse(std::to_string(picture.width) + " x " + std::to_string(picture.height) + " pixels");
  }
  if (picture.channels < 1 || picture.channels > 4) refuse(std::to_string(picture.channels) + " channels");
  if (picture.type != DataType::UInt8 && picture.type != DataType::UInt16) refuse(to_string(picture.type));
  const std::size_t row = static_cast<std::size_t>(picture.width) * bytes_per_pixel(picture);
  if (picture.samples.size() / row != static_cast<std::size_t>(picture.height) || picture.samples.size() % row != 0) {
    refuse(std::to_string(picture.samples.size()) + " bytes for " + std::to_string(picture.height) + " rows of " +
           std::to_string(row));
  }
}

/// The samples in network byte order.
Bytes stored(const Picture& picture) {
  Bytes out = picture.samples;
  if (picture.type == DataType::UInt16 && std::endian::native == std::endian::little) {
    for (std::size_t i = 0; i + 1 < out.size(); i += 2) std::swap(out[i], out[i + 1]);
  }
  return out;
}

Bytes filtered(const Picture& picture) {
  const Bytes samples = stored(picture);
  const std::size_t pixel = bytes_per_pixel(picture);
  const std::size_t row = static_cast<std::size_t>(picture.width) * pixel;
  Bytes out;
  out.reserve(samples.size() + static_cast<std::size_t>(picture.height));
  for (std::size_t begin = 0; begin < samples.size(); begin += row) {
    out.push_back(kPaeth);
    for (std::size_t i = 0; i < row; ++i) {
      const auto at = [&](bool is_there, std::size_t back) {
        return is_there ? std::to_integer<int>(samples[begin + i - back]) : 0;
      };
      const bool has_left = i >= pixel, has_above = begin > 0;
      const int guess = nearest(at(has_left, pixel), at(has_above, row), at(has_left && has_above, row + pixel));
      out.push_back(static_cast<std::byte>(std::to_integer<int>(samples[begin + i]) - guess));
    }
  }
  return out;
}

Bytes compressed(const Bytes& in) {
  const std::unique_ptr<libdeflate_compressor, FreeCompressor> compressor(libdeflate_alloc_compressor(kLevel));
  if (!compressor) throw std::bad_alloc();
  Bytes out(libdeflate_zlib_compress_bound(compressor.get(), in.size()));
  out.resize(libdeflate_zlib_compress(compressor.get(), in.data(), in.size(), out.data(), out.size()));
  return out;
}

}  // namespace

Bytes encode_png(const Picture& picture) {
  check(picture);
  Bytes out;
  put_text(out, "\x89PNG\r\n\x1a\n");
  Bytes header;
  put_u32(header, static_cast<uint32_t>(picture.width));
  put_u32(header, static_cast<uint32_t>(picture.height));
  header.push_back(static_cast<std::byte>(8 * size_of(picture.type)));
  header.push_back(static_cast<std::byte>(kColourTypes[static_cast<std::size_t>(picture.channels - 1)]));
  header.insert(header.end(), 3, std::byte{0});  // deflate, the five filters, not interlaced
  put_chunk(out, "IHDR", header);
  const Bytes data = compressed(filtered(picture));
  constexpr std::size_t kMostInChunk = 1 << 30;
  for (std::size_t begin = 0; begin < data.size(); begin += kMostInChunk) {
    put_chunk(out, "IDAT", std::span(data).subspan(begin, std::min(kMostInChunk, data.size() - begin)));
  }
  put_chunk(out, "IEND", {});
  return out;
}

}  // namespace tacore
