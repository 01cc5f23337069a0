#include "raster/tiff_layout.hpp"

#include "base/checked_math.hpp"
#include "tacore/error.hpp"

namespace tacore {
namespace {

constexpr uint64_t kMostBlockBytes = uint64_t{1} << 31;

}  // namespace

uint64_t TiffLayout::block_bytes() const {
  const auto pixels =
      checked_multiply<uint64_t>(static_cast<uint64_t>(block_width), static_cast<uint64_t>(block_height), "block size");
  return checked_multiply<uint64_t>(pixels, values_per_pixel() * size_of(type), "block size");
}

void check_layout(const TiffLayout& layout, uint64_t file_size, const std::string& name) {
  const auto refuse = [&](const std::string& why, std::optional<uint64_t> offset = {}) {
    throw FormatError("TIFF: " + why, {.path = name, .offset = offset});
  };
  constexpr int64_t kMost = INT32_MAX;
  if (layout.width < 1 || layout.height < 1 || layout.width > kMost || layout.height > kMost) {
    refuse("size " + std::to_string(layout.width) + " x " + std::to_string(layout.height) +
           ", each must be 1 to 2^31 - 1");
  }
  if (layout.bands < 1 || layout.bands > UINT16_MAX) refuse(std::to_string(layout.bands) + " bands");
  if (layout.block_width < 1 || layout.block_height < 1 || layout.block_width > kMost || layout.block_height > kMost) {
    refuse("blocks of " + std::to_string(layout.block_width) + " x " + std::to_string(layout.block_height) +
           ", each must be 1 to 2^31 - 1");
  }
  if (layout.block_bytes() > kMostBlockBytes) {
    refuse("a block of " + std::to_string(layout.block_bytes()) + " bytes, at most 2 GiB are decoded");
  }
  if (layout.predictor == 3 && layout.type != DataType::Float32 && layout.type != DataType::Float64) {
    refuse(std::string("predictor 3 (floating point) for ") + to_string(layout.type));
  }
  const uint64_t expected = layout.num_blocks();
  if (layout.blocks.size() != expected) {
    refuse(std::to_string(layout.blocks.size()) + " blocks, the image size requires " + std::to_string(expected));
  }
  for (std::size_t i = 0; i < layout.blocks.size(); ++i) {
    const ByteRange& block = layout.blocks[i];
    if (block.size == 0) continue;
    if (block.offset == 0 || block.offset > file_size || block.size > file_size - block.offset) {
      refuse("block " + std::to_string(i) + ": " + std::to_string(block.size) + " bytes at " +
                 std::to_string(block.offset) + " are outside of the file of " + std::to_string(file_size),
             block.offset);
    }
  }
}

}  // namespace tacore
