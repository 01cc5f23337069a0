#include <algorithm>
#include <cstring>

#include "base/little_endian.hpp"
#include "raster/row_source.hpp"
#include "raster/tacotiff_header.hpp"
#include "raster/tiff_directory.hpp"
#include "raster/tog.hpp"
#include "tacore/error.hpp"

namespace tacore {
namespace {

/// The 4 bytes before a tile that hold its size, and the 4 behind it that repeat its last ones.
constexpr uint64_t kLeader = 4;

/// The first tile without the leader and trailer of a COG; "" when all have them. `layout` has a TacoTIFF header.
std::string why_badly_framed(const TiffLayout& layout, const ByteSource& source) {
  std::vector<ByteRange> frames;  // of each tile, its leader and its trailer
  for (const ByteRange& block : layout.blocks) {
    const uint64_t tail = std::min(block.size, kLeader);
    const uint64_t end = block.offset + block.size;
    if (block.offset < kLeader || source.size() - end < kLeader)
      return "has a tile without room for its leader and trailer";
    frames.push_back({block.offset - kLeader, kLeader});
    frames.push_back({end - tail, tail + kLeader});
  }
  const auto bytes = source.read_ranges(frames);
  for (std::size_t i = 0; i < layout.blocks.size(); ++i) {
    const uint32_t stated = Cursor(bytes[2 * i], "leader").u32();
    if (stated != layout.blocks[i].size) {
      return "states " + std::to_string(stated) + " bytes in front of tile " + std::to_string(i) + ", which has " +
             std::to_string(layout.blocks[i].size);
    }
    const Bytes& tail = bytes[2 * i + 1];
    if (tail.size() == 2 * kLeader && std::memcmp(tail.data(), tail.data() + kLeader, kLeader) != 0) {
      return "does not repeat the last bytes of tile " + std::to_string(i) + " behind it";
    }
  }
  return {};
}

std::vector<std::string> faults_of(const TiffDirectory& directory, const ByteSource& source) {
  const TiffLayout& layout = directory.layout;
  std::vector<std::string> out;
  if (!directory.is_big) out.emplace_back("is a classic TIFF, not a BigTIFF");
  if (directory.has_more) out.emplace_back("has more than one directory: overviews, masks or pages");
  if (!layout.is_tile_interleaved) out.emplace_back("has no INTERLEAVE=TILE in its GDAL metadata");
  if (layout.is_tiled && (layout.block_width % 16 != 0 || layout.block_height % 16 != 0)) {
    out.push_back("has tiles of " + std::to_string(layout.block_width) + " x " + std::to_string(layout.block_height) +
                  " pixels, not multiples of 16");
  }
  if (!directory.unsupported.empty()) {
    out.push_back("has " + directory.unsupported);
    return out;
  }
  if (!layout.is_planar && layout.bands == 1) out.emplace_back("has planar configuration 1 (pixel-interleaved), not 2");
  const auto others = why_no_tacotiff_header(layout);
  out.insert(out.end(), others.begin(), others.end());
  if (others.empty()) {
    if (auto why = why_badly_framed(layout, source); !why.empty()) out.push_back(std::move(why));
  }
  return out;
}

}  // namespace

std::vector<std::string> check_tacotiff(const ByteSource& source) {
  try {
    return faults_of(read_tiff_directory(source), source);
  } catch (const FormatError& error) {
    return {"is broken: " + error.message()};
  }
}

std::vector<std::string> check_tacotiff(const std::string& path) { return check_tacotiff(*open_bytes(path)); }

}  // namespace tacore
