#include "raster/tiff_raster.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <utility>
#include <vector>

#include "container/zip_samples.hpp"
#include "io/coalesce.hpp"
#include "raster/codecs.hpp"
#include "raster/pixel_type.hpp"
#include "raster/tiff_directory.hpp"
#include "tacore/error.hpp"

namespace tacore {
namespace {

// The size of a read before decoding: large enough to be worth a request, small beside the pixels.
constexpr uint64_t kReadAtOnce = uint64_t{4} << 20;

/// Memory that is not initialised, since it is written before it is read.
struct Buffer {
  std::unique_ptr<std::byte[]> data = {};
  std::size_t capacity = 0;

  std::span<std::byte> take(std::size_t size) {
    if (size > capacity) {
      data.reset();
      data.reset(new std::byte[size]);  // not cleared first, as make_unique() does
      capacity = size;
    }
    return {data.get(), size};
  }
};

struct Buffers {
  Buffer compressed = {}, decoded = {}, scratch = {};
};

#ifdef __wasm__
using KeptBuffers = Buffers;
#else
/// The buffers of a thread, which serve for one raster after the other: the C library may give memory back to the
/// system each time, and taking it again costs as much as decoding a small raster.
class KeptBuffers : public Buffers {
 public:
  KeptBuffers() : Buffers(std::exchange(kept_, {})) {}
  ~KeptBuffers() {
    constexpr std::size_t kMostKept = 8 << 20;
    if (compressed.capacity + decoded.capacity + scratch.capacity <= kMostKept)
      kept_ = std::move(static_cast<Buffers&>(*this));
  }
  KeptBuffers(const KeptBuffers&) = delete;
  KeptBuffers& operator=(const KeptBuffers&) = delete;

 private:
  static thread_local Buffers kept_;
};

thread_local Buffers KeptBuffers::kept_;
#endif

const char* name_of(Compression compression) {
  switch (compression) {
    case Compression::None: return "NONE";
    case Compression::Zstd: return "ZSTD";
    case Compression::Deflate: return "DEFLATE";
    case Compression::Lzw: return "LZW";
  }
  return "";
}

void fill(DataType type, std::span<std::byte> out, double value) {
  with_type(type, [&](auto pixel) {
    pixel = converted<decltype(pixel)>(value);
    for (std::size_t at = 0; at < out.size(); at += sizeof pixel) std::memcpy(out.data() + at, &pixel, sizeof pixel);
  });
}

/// One value out of every `stride` bytes of a row.
void copy_every(std::byte* to, const std::byte* from, int64_t count, std::size_t size, std::size_t stride) {
  const auto copy = [&]<std::size_t kSize>() {
    for (int64_t i = 0; i < count; ++i)
      std::memcpy(to + i * static_cast<int64_t>(kSize), from + static_cast<std::size_t>(i) * stride, kSize);
  };
  switch (size) {
    case 1: return copy.template operator()<1>();
    case 2: return copy.template operator()<2>();
    case 4: return copy.template operator()<4>();
    default: return copy.template operator()<8>();
  }
}

class TiffRaster final : public Raster {
 public:
  TiffRaster(std::shared_ptr<const ByteSource> source, TiffLayout layout, std::string name)
      : source_(std::move(source)), layout_(std::move(layout)), name_(std::move(name)), info_(info_of(layout_)) {}

  const std::string& name() const noexcept override { return name_; }
  const RasterInfo& info() const noexcept override { return info_; }
  std::optional<double> nodata() const override { return found_nodata().value; }
  Georeference georeference() const override { return georeference_of(read_tiff_directory(*source_)); }

  void read(std::span<const int> bands, const Window& window, std::span<std::byte> out) const override {
    check_read(info_, name_, bands, window, out.size());
    if (window.width == 0 || window.height == 0) return;
    // The layout describes the sample itself, so it stays valid when the location of the sample is corrected.
    again_if_moved([&] {
      Work work{bands, window, out};
      const int64_t first = window.y / layout_.block_height;
      const int64_t last = (window.y + window.height - 1) / layout_.block_height;
      for (int64_t row = first; row <= last; ++row) {
        add_row(work, row);
        if (work.num_bytes >= kReadAtOnce) decode(work);
      }
      decode(work);
    });
  }

 private:
  /// The bytes of a block, and the wanted band that gets its pixels: one when planar, else all (-1).
  struct Block {
    int64_t column, row;
    int wanted;
    std::size_t number;
  };

  struct Work {
    std::span<const int> bands;
    Window window;
    std::span<std::byte> out;
    std::vector<Block> blocks = {};
    std::vector<ByteRange> ranges = {};
    uint64_t num_bytes = 0;
    KeptBuffers buffers = {};
  };

  void add_row(Work& work, int64_t row) const {
    const int64_t first = work.window.x / layout_.block_width;
    const int64_t last = (work.window.x + work.window.width - 1) / layout_.block_width;
    for (int64_t column = first; column <= last; ++column) {
      const int num_wanted = layout_.is_planar ? static_cast<int>(work.bands.size()) : 1;
      for (int wanted = 0; wanted < num_wanted; ++wanted) {
        const int64_t band = layout_.is_planar ? work.bands[static_cast<std::size_t>(wanted)] - 1 : 0;
        const auto number =
            static_cast<std::size_t>(band * layout_.blocks_per_band() + row * layout_.blocks_across() + column);
        work.blocks.push_back({column, row, layout_.is_planar ? wanted : -1, number});
        work.ranges.push_back(layout_.blocks[number]);
        work.num_bytes += layout_.blocks[number].size;
      }
    }
  }

#ifndef __wasm__
  /// The place in `out` of a block whose rows are those of the window; nullopt for another block.
  std::optional<std::span<std::byte>> place_of(const Work& work, const Block& block) const {
    const Window& window = work.window;
    const int64_t left = block.column * layout_.block_width, top = block.row * layout_.block_height;
    const bool is_one_band = layout_.values_per_pixel() == 1 && (block.wanted >= 0 || work.bands.size() == 1);
    const bool is_whole = left == window.x && layout_.block_width == window.width && top >= window.y &&
                          top + rows_of(block) <= window.y + window.height;
    if (!is_one_band || !is_whole) return std::nullopt;
    const std::size_t row_size = static_cast<std::size_t>(window.width) * size_of(layout_.type);
    const int64_t rows_before = std::max(block.wanted, 0) * window.height + top - window.y;
    return work.out.subspan(static_cast<std::size_t>(rows_before) * row_size,
                            static_cast<std::size_t>(rows_of(block)) * row_size);
  }

  /// Reads the blocks of a local file whose bytes are the pixels into their places, neighbours together, and leaves the
  /// others.
  void read_plain(Work& work) const {
    const bool is_plain = layout_.compression == Compression::None && layout_.predictor == 1 && !layout_.is_big_endian;
    if (!is_plain || !source_->is_local()) return;
    uint64_t begin = 0;
    std::span<std::byte> to;
    std::size_t num_left = 0;
    for (std::size_t i = 0; i < work.blocks.size(); ++i) {
      const ByteRange range = work.ranges[i];
      const auto place = place_of(work, work.blocks[i]);
      if (!place || range.size < place->size()) {
        work.blocks[num_left] = work.blocks[i];
        work.ranges[num_left++] = range;
      } else if (!to.empty() && range.offset == begin + to.size() && place->data() == to.data() + to.size()) {
        to = {to.data(), to.size() + place->size()};
      } else {
        if (!to.empty()) source_->read(begin, to);
        begin = range.offset;
        to = *place;
      }
    }
    if (!to.empty()) source_->read(begin, to);
    work.blocks.resize(num_left);
    work.ranges.resize(num_left);
  }
#endif

  /// Reads the blocks that were collected and decodes them into `out`.
  void decode(Work& work) const {
#ifndef __wasm__  // a browser has no local files, and downloads every byte of the code
    read_plain(work);
#endif
    const auto merged = coalesce(work.ranges, kLocalCoalesceGap);
    std::vector<Bytes> pieces;
    if (!source_->is_local() && merged.size() > 1) {  // a remote file gets all ranges in one call
      std::vector<ByteRange> ranges;
      for (const auto& part : merged) ranges.push_back(part.range);
      pieces = source_->read_ranges(ranges);
    }
    for (std::size_t i = 0; i < merged.size(); ++i) {
      const std::span<const std::byte> bytes = pieces.empty() ? fetch(work, merged[i].range) : pieces[i];
      scatter(merged[i], work.ranges, bytes,
              [&](std::size_t member, std::span<const std::byte> block) { place(work, work.blocks[member], block); });
    }
    for (std::size_t i = 0; i < work.blocks.size(); ++i) {
      if (work.ranges[i].size == 0) place(work, work.blocks[i], {});
    }
    work.blocks.clear();
    work.ranges.clear();
    work.num_bytes = 0;
  }

  std::span<const std::byte> fetch(Work& work, ByteRange range) const {
    const auto bytes = work.buffers.compressed.take(range.size);
    source_->read(range.offset, bytes);
    return bytes;
  }

  /// The number of rows in a block.
  int64_t rows_of(const Block& block) const {
    if (layout_.is_tiled) return layout_.block_height;
    return std::min(layout_.block_height, layout_.height - block.row * layout_.block_height);
  }

  void place(Work& work, const Block& block, std::span<const std::byte> bytes) const {
    const std::size_t size = size_of(layout_.type), stride = size * layout_.values_per_pixel();
    const int64_t left = block.column * layout_.block_width, top = block.row * layout_.block_height;
    const Window& window = work.window;
    // The intersection of the block and the window.
    const int64_t x0 = std::max(left, window.x), x1 = std::min(left + layout_.block_width, window.x + window.width);
    const int64_t y0 = std::max(top, window.y), y1 = std::min(top + rows_of(block), window.y + window.height);
    const auto width = static_cast<std::size_t>(x1 - x0);
    const auto plane = static_cast<std::size_t>(window.width * window.height) * size;
    const auto at = [&](std::size_t wanted, int64_t y) {
      return work.out.data() + wanted * plane +
             static_cast<std::size_t>((y - window.y) * window.width + x0 - window.x) * size;
    };
    const std::size_t first = block.wanted < 0 ? 0 : static_cast<std::size_t>(block.wanted);
    const std::size_t end = block.wanted < 0 ? work.bands.size() : first + 1;
    if (bytes.empty()) {
      for (std::size_t wanted = first; wanted < end; ++wanted) {
        for (int64_t y = y0; y < y1; ++y) fill_nodata({at(wanted, y), width * size});
      }
      return;
    }

    const std::size_t row_size = static_cast<std::size_t>(layout_.block_width) * stride;
    const std::size_t block_size = row_size * static_cast<std::size_t>(rows_of(block));
    // Checked before memory is allocated for what a block of a few bytes claims to hold.
    if (block_size > most_decompressed(layout_.compression, bytes.size())) {
      fail(block, std::to_string(bytes.size()) + " bytes cannot hold " + std::to_string(block_size));
    }
    // Rows of the same length in block and window are decoded directly into `out`.
    const bool is_whole = x1 - x0 == layout_.block_width && y1 - y0 == rows_of(block);
    if (is_whole && window.width == layout_.block_width && stride == size && end - first == 1) {
      decode_block(work, block, bytes, {at(first, y0), block_size});
      return;
    }
    const auto pixels = work.buffers.decoded.take(block_size);
    decode_block(work, block, bytes, pixels);
    for (std::size_t wanted = first; wanted < end; ++wanted) {
      const auto band = layout_.is_planar ? 0 : static_cast<std::size_t>(work.bands[wanted] - 1);
      for (int64_t y = y0; y < y1; ++y) {
        const std::byte* from = pixels.data() + static_cast<std::size_t>(y - top) * row_size +
                                static_cast<std::size_t>(x0 - left) * stride + band * size;
        if (stride == size) {
          std::memcpy(at(wanted, y), from, width * size);
        } else {
          copy_every(at(wanted, y), from, x1 - x0, size, stride);
        }
      }
    }
  }

  struct NoData {
    std::optional<double> value = {};
    std::optional<uint64_t> bits = {};
  };

  /// The no-data value of the layout, or of the file where the layout does not have it.
  const NoData& found_nodata() const {
    std::call_once(nodata_read_, [this] {
      const auto of = [](const TiffLayout& layout) { return NoData{layout.nodata, layout.nodata_bits}; };
      nodata_ = of(layout_.is_nodata_known ? layout_ : read_tiff_directory(*source_).layout);
    });
    return nodata_;
  }

  void fill_nodata(std::span<std::byte> out) const {
    const NoData& nodata = found_nodata();
    if (!nodata.bits) return fill(layout_.type, out, nodata.value.value_or(0));
    for (std::size_t at = 0; at < out.size(); at += 8) std::memcpy(out.data() + at, &*nodata.bits, 8);
  }

  [[noreturn]] void fail(const Block& block, const std::string& why) const {
    throw FormatError("block " + std::to_string(block.number) + ": " + why,
                      {.path = name_, .offset = layout_.blocks[block.number].offset});
  }

  void decode_block(Work& work, const Block& block, std::span<const std::byte> bytes, std::span<std::byte> out) const {
    try {
      decompress(layout_.compression, bytes, out, layout_.block_bytes());
    } catch (const FormatError& error) {
      fail(block, error.message());
    }
    const std::size_t size = size_of(layout_.type);
    if (layout_.is_big_endian && layout_.predictor != 3) swap_bytes(out, size);
    if (layout_.predictor == 1) return;
    const std::size_t row_size = out.size() / static_cast<std::size_t>(rows_of(block));
    const auto scratch = work.buffers.scratch.take(row_size);
    for (std::size_t row = 0; row < out.size(); row += row_size) {
      undo_predictor(layout_.predictor, out.subspan(row, row_size), layout_.values_per_pixel(), size, scratch);
    }
  }

  std::shared_ptr<const ByteSource> source_;
  TiffLayout layout_;
  std::string name_;
  RasterInfo info_;
  mutable std::once_flag nodata_read_ = {};
  mutable NoData nodata_ = {};
};

}  // namespace

RasterInfo info_of(const TiffLayout& layout) {
  return {.width = layout.width,
          .height = layout.height,
          .bands = layout.bands,
          .type = layout.type,
          .nodata = layout.nodata,
          .format = "GTiff",
          .block_width = layout.block_width,
          .block_height = layout.block_height,
          .compression = name_of(layout.compression),
          .interleave = layout.is_tile_interleaved              ? "TILE"
                        : layout.is_planar || layout.bands == 1 ? "BAND"
                                                                : "PIXEL",
          .predictor = layout.predictor};
}

std::shared_ptr<const Raster> make_tiff_raster(std::shared_ptr<const ByteSource> source, TiffLayout layout,
                                               std::string name) {
  return std::make_shared<TiffRaster>(std::move(source), std::move(layout), std::move(name));
}

bool is_tiff_raster(const Raster& raster) noexcept { return dynamic_cast<const TiffRaster*>(&raster) != nullptr; }

}  // namespace tacore
