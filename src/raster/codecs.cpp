#include "raster/codecs.hpp"

#include <libdeflate.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "base/zstd.hpp"
#include "tacore/error.hpp"

namespace tacore {
namespace {

[[noreturn]] void throw_short(std::size_t found, std::size_t expected) {
  throw FormatError("the data end after " + std::to_string(found) + " of " + std::to_string(expected) + " bytes");
}

// --- ZSTD ---

struct FreeZstd {
  void operator()(ZSTD_CCtx* context) const noexcept { ZSTD_freeCCtx(context); }
};

std::size_t checked_zstd(std::size_t result) {
  if (ZSTD_isError(result)) throw FormatError(std::string("ZSTD: ") + ZSTD_getErrorName(result));
  return result;
}

// --- deflate ---

struct FreeDeflate {
  void operator()(libdeflate_decompressor* decompressor) const noexcept { libdeflate_free_decompressor(decompressor); }
};

libdeflate_result inflate(std::span<const std::byte> in, std::span<std::byte> out, std::size_t& size) {
  thread_local const std::unique_ptr<libdeflate_decompressor, FreeDeflate> decompressor(
      libdeflate_alloc_decompressor());
  if (!decompressor) throw std::bad_alloc();
  std::size_t used = 0;
  return libdeflate_zlib_decompress_ex(decompressor.get(), in.data(), in.size(), out.data(), out.size(), &used, &size);
}

void decompress_deflate(std::span<const std::byte> in, std::span<std::byte> out, uint64_t most) {
  std::size_t size = 0;
  auto result = inflate(in, out, size);
  // The last strip may be as long as the others, with rows below the image.
  std::vector<std::byte> whole;
  if (result == LIBDEFLATE_INSUFFICIENT_SPACE && most > out.size()) {
    whole.resize(std::min(most, most_decompressed(Compression::Deflate, in.size())));
    result = inflate(in, whole, size);
  }
  if (result == LIBDEFLATE_INSUFFICIENT_SPACE) throw FormatError("deflate: more data than a block holds");
  if (result != LIBDEFLATE_SUCCESS) throw FormatError("deflate: the data are damaged or end too soon");
  if (size < out.size()) throw_short(size, out.size());
  if (!whole.empty()) std::memcpy(out.data(), whole.data(), out.size());
}

// --- LZW (TIFF 6.0, section 13) ---

/// Reads codes of 9 to 12 bits, the highest bit first.
class LzwCodes {
 public:
  explicit LzwCodes(std::span<const std::byte> bytes) : bytes_(bytes) {}

  /// The next code, -1 at the end.
  int next(int width) {
    if (num_bits_ < width && !fill(width)) return -1;
    num_bits_ -= width;
    return static_cast<int>(bits_ >> num_bits_ & ((1U << width) - 1));
  }

 private:
  bool fill(int width) {
    while (num_bits_ <= 56 && position_ < bytes_.size()) {
      bits_ = bits_ << 8 | static_cast<uint64_t>(bytes_[position_++]);
      num_bits_ += 8;
    }
    return num_bits_ >= width;
  }

  std::span<const std::byte> bytes_;
  std::size_t position_ = 0;
  uint64_t bits_ = 0;
  int num_bits_ = 0;
};

constexpr int kClear = 256, kEnd = 257, kFirst = 258, kMostCodes = 4096;

constexpr std::size_t kShort = 16;

/// All 256 bytes in order: the strings of the first codes, with room to copy kShort of them.
constexpr auto kLiterals = [] {
  std::array<std::byte, 256 + kShort> out = {};
  for (std::size_t i = 0; i < 256; ++i) out[i] = static_cast<std::byte>(i);
  return out;
}();

/// The string of a code is already in the output, where the previous code was written, and one byte longer.
void decompress_lzw(std::span<const std::byte> in, std::span<std::byte> out) {
  if (in.size() >= 2 && in[0] == std::byte{0} && (in[1] & std::byte{1}) == std::byte{1}) {
    throw FormatError("LZW with the lowest bit first, as before TIFF 6.0, is not supported");
  }
  // Two arrays, which together fit the cache.
  std::array<const std::byte*, kMostCodes> texts;
  std::array<uint16_t, kMostCodes> sizes;
  for (std::size_t i = 0; i < 256; ++i) texts[i] = &kLiterals[i], sizes[i] = 1;
  LzwCodes codes(in);
  int num_codes = kFirst, width = 9;
  const std::byte* last = nullptr;  // what the previous code was written as; none after a clear code
  std::size_t last_size = 0;
  std::byte *to = out.data(), *const end = to + out.size();
  while (to < end) {
    const int code = codes.next(width);
    if (code < 0 || code == kEnd) throw_short(static_cast<std::size_t>(to - out.data()), out.size());
    if (code == kClear) {
      num_codes = kFirst;
      width = 9;
      last = nullptr;
      continue;
    }
    if (last && num_codes < kMostCodes) {
      texts[static_cast<std::size_t>(num_codes)] = last;
      sizes[static_cast<std::size_t>(num_codes++)] = static_cast<uint16_t>(last_size + 1);
    }
    if (code >= num_codes) throw FormatError("LZW: code " + std::to_string(code) + " is not defined yet");
    const std::byte* const text = texts[static_cast<std::size_t>(code)];
    const auto room = static_cast<std::size_t>(end - to);
    last = to;
    last_size = sizes[static_cast<std::size_t>(code)];
    const std::size_t size = std::min(last_size, room);
    if (size <= kShort && room >= kShort) {
      // Most strings are short: a copy of fixed size is two instructions, and its excess is overwritten later.
      std::array<std::byte, kShort> copy;
      std::memcpy(copy.data(), text, kShort);
      std::memcpy(to, copy.data(), kShort);
    } else {
      // A string that is just being defined ends with its own first byte, which is written below.
      std::memcpy(to, text, text + size == to + 1 ? size - 1 : size);
    }
    if (text + size == to + 1) to[size - 1] = to[0];
    to += size;
    // The code width grows one code early, as in all TIFF writers.
    if (num_codes + 1 >= 1 << width && width < 12) ++width;
  }
}

// --- predictors ---

/// Sixteen bytes of values: a SIMD register on every processor in use.
template <class T>
struct Lanes {
  typedef T Type __attribute__((vector_size(16)));
  static constexpr std::size_t kCount = 16 / sizeof(T);
};

/// Each value moved up by `kBy` lanes, with zeros behind.
template <class T, std::size_t kBy, std::size_t... k>
typename Lanes<T>::Type moved_up(typename Lanes<T>::Type values, std::index_sequence<k...>) {
  return __builtin_shufflevector(typename Lanes<T>::Type{}, values, (Lanes<T>::kCount + k - kBy)...);
}

template <class T, std::size_t... k>
typename Lanes<T>::Type last_in_all(typename Lanes<T>::Type values, std::index_sequence<k...>) {
  return __builtin_shufflevector(values, values, (k * 0 + Lanes<T>::kCount - 1)...);
}

/// Prefix sums of single values: the sum of one register does not wait for that of the register before it.
template <class T>
void sum_up(std::span<std::byte> row) {
  using Vector = typename Lanes<T>::Type;
  constexpr std::size_t kCount = Lanes<T>::kCount;
  constexpr auto kAll = std::make_index_sequence<kCount>();
  std::byte *at = row.data(), *const end = at + row.size();
  Vector before = {};
  for (; end - at >= 16; at += 16) {
    Vector sums;
    std::memcpy(&sums, at, 16);
    sums += moved_up<T, 1>(sums, kAll);
    if constexpr (kCount > 2) sums += moved_up<T, 2>(sums, kAll);
    if constexpr (kCount > 4) sums += moved_up<T, 4>(sums, kAll);
    if constexpr (kCount > 8) sums += moved_up<T, 8>(sums, kAll);
    const Vector out = sums + before;
    before += last_in_all<T>(sums, kAll);
    std::memcpy(at, &out, 16);
  }
  T sum = before[0];
  for (; at < end; at += sizeof(T)) {
    T value;
    std::memcpy(&value, at, sizeof(T));
    sum = static_cast<T>(sum + value);
    std::memcpy(at, &sum, sizeof(T));
  }
}

/// Prefix sums for pixels of a few bands, whose sums stay in registers.
template <class T, std::size_t kBands>
void sum_up_pixels(std::span<std::byte> row) {
  std::array<T, kBands> sums = {};
  for (std::byte* at = row.data(); at < row.data() + row.size(); at += kBands * sizeof(T)) {
    std::array<T, kBands> pixel;
    std::memcpy(&pixel, at, sizeof pixel);
    for (std::size_t band = 0; band < kBands; ++band) sums[band] = static_cast<T>(sums[band] + pixel[band]);
    std::memcpy(at, &sums, sizeof pixel);
  }
}

/// Horizontal differencing: each value minus the one `num_bands` before it. `row` may be unaligned, hence memcpy.
template <class T>
void add_left(std::span<std::byte> row, std::size_t num_bands) {
  switch (num_bands) {
    case 1: return sum_up<T>(row);
    case 2: return sum_up_pixels<T, 2>(row);
    case 3: return sum_up_pixels<T, 3>(row);
    case 4: return sum_up_pixels<T, 4>(row);
    default: break;
  }
  std::byte* at = row.data();
  for (std::size_t i = num_bands; i < row.size() / sizeof(T); ++i) {
    T left, value;
    std::memcpy(&left, at + (i - num_bands) * sizeof(T), sizeof(T));
    std::memcpy(&value, at + i * sizeof(T), sizeof(T));
    value = static_cast<T>(value + left);
    std::memcpy(at + i * sizeof(T), &value, sizeof(T));
  }
}

/// The floating-point predictor: `planes` holds the highest bytes of all values, then the second ones, ...
template <class T>
void join_planes(std::span<const std::byte> planes, std::span<std::byte> row) {
  const std::size_t count = row.size() / sizeof(T);
  for (std::size_t i = 0; i < count; ++i) {
    T value = 0;
    for (std::size_t rank = 0; rank < sizeof(T); ++rank) {
      value = value << 8 | std::to_integer<T>(planes[rank * count + i]);
    }
    std::memcpy(row.data() + i * sizeof(T), &value, sizeof(T));
  }
}

void join_bytes(std::span<std::byte> row, std::size_t num_bands, std::size_t size, std::span<std::byte> scratch) {
  add_left<uint8_t>(row, num_bands);
  std::memcpy(scratch.data(), row.data(), row.size());
  return size == 4 ? join_planes<uint32_t>(scratch, row) : join_planes<uint64_t>(scratch, row);
}

/// The inverses (encoding), for one band.
template <class T>
void subtract_left(std::span<std::byte> row) {
  T left = 0;
  for (std::size_t at = 0; at < row.size(); at += sizeof(T)) {
    T value;
    std::memcpy(&value, row.data() + at, sizeof(T));
    const T difference = static_cast<T>(value - left);
    std::memcpy(row.data() + at, &difference, sizeof(T));
    left = value;
  }
}

void split_bytes(std::span<std::byte> row, std::size_t size, std::span<std::byte> scratch) {
  std::memcpy(scratch.data(), row.data(), row.size());
  const std::size_t count = row.size() / size;
  for (std::size_t rank = 0; rank < size; ++rank) {
    const std::size_t place = std::endian::native == std::endian::little ? size - 1 - rank : rank;
    for (std::size_t i = 0; i < count; ++i) row[rank * count + i] = scratch[i * size + place];
  }
  subtract_left<uint8_t>(row);
}

template <class T>
void swap_all(std::span<std::byte> values) {
  for (std::byte* at = values.data(); at < values.data() + values.size(); at += sizeof(T)) {
    T value;
    std::memcpy(&value, at, sizeof(T));
    if constexpr (sizeof(T) == 2) value = __builtin_bswap16(value);
    if constexpr (sizeof(T) == 4) value = __builtin_bswap32(value);
    if constexpr (sizeof(T) == 8) value = __builtin_bswap64(value);
    std::memcpy(at, &value, sizeof(T));
  }
}

}  // namespace

Bytes compress_zstd(std::span<const std::byte> in, int level) {
  thread_local const std::unique_ptr<ZSTD_CCtx, FreeZstd> context(ZSTD_createCCtx());
  if (!context) throw std::bad_alloc();
  checked_zstd(ZSTD_CCtx_reset(context.get(), ZSTD_reset_session_only));
  checked_zstd(ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, level));
  Bytes out(ZSTD_compressBound(in.size()));
  ZSTD_inBuffer from{in.data(), in.size(), 0};
  ZSTD_outBuffer to{out.data(), out.size(), 0};
  // In two calls: a frame that ends with its first call would state its content size.
  while (from.pos < from.size) checked_zstd(ZSTD_compressStream2(context.get(), &to, &from, ZSTD_e_continue));
  while (checked_zstd(ZSTD_compressStream2(context.get(), &to, &from, ZSTD_e_end)) != 0) {
    // ZSTD_compressBound() holds for a single call: a frame that is begun without its size may need a little more.
    out.resize(out.size() + out.size() / 8 + 64);
    to.dst = out.data();
    to.size = out.size();
  }
  out.resize(to.pos);
  return out;
}

void decompress(Compression compression, std::span<const std::byte> in, std::span<std::byte> out, uint64_t most) {
  switch (compression) {
    case Compression::None:
      if (in.size() < out.size()) throw_short(in.size(), out.size());
      if (!out.empty()) std::memcpy(out.data(), in.data(), out.size());
      return;
    case Compression::Zstd: return decompress_zstd_start(in, out);
    case Compression::Deflate: return decompress_deflate(in, out, most);
    case Compression::Lzw: return decompress_lzw(in, out);
  }
}

uint64_t most_decompressed(Compression compression, uint64_t size) {
  uint64_t ratio = 1;
  switch (compression) {
    case Compression::None: break;
    case Compression::Zstd: ratio = 1 << 15; break;    // 128 KiB for a block of 4 bytes
    case Compression::Deflate: ratio = 1033; break;    // 258 bytes for 2 bits
    case Compression::Lzw: ratio = kMostCodes; break;  // less than a text for a byte
  }
  return size > UINT64_MAX / ratio ? UINT64_MAX : size * ratio;
}

void swap_bytes(std::span<std::byte> values, std::size_t size) {
  switch (size) {
    case 2: return swap_all<uint16_t>(values);
    case 4: return swap_all<uint32_t>(values);
    case 8: return swap_all<uint64_t>(values);
    default: return;
  }
}

void undo_predictor(int predictor, std::span<std::byte> row, std::size_t num_bands, std::size_t size,
                    std::span<std::byte> scratch) {
  if (predictor == 3) return join_bytes(row, num_bands, size, scratch);
  if (predictor != 2) return;
  switch (size) {
    case 1: return add_left<uint8_t>(row, num_bands);
    case 2: return add_left<uint16_t>(row, num_bands);
    case 4: return add_left<uint32_t>(row, num_bands);
    default: return add_left<uint64_t>(row, num_bands);
  }
}

void apply_predictor(int predictor, std::span<std::byte> row, std::size_t size, std::span<std::byte> scratch) {
  if (predictor == 3) return split_bytes(row, size, scratch);
  if (predictor != 2) return;
  switch (size) {
    case 1: return subtract_left<uint8_t>(row);
    case 2: return subtract_left<uint16_t>(row);
    case 4: return subtract_left<uint32_t>(row);
    default: return subtract_left<uint64_t>(row);
  }
}

}  // namespace tacore
