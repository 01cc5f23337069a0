#include "raster/tacotiff_header.hpp"

#include "fuzz.hpp"
#include "raster/tiff_structure.hpp"

/// The input is a header, or the structure of a TIFF.
namespace tacore::fuzz {
namespace {

void require_inside(const TiffLayout& layout, uint64_t size) {
  for (const ByteRange& block : layout.blocks) {
    require(block.offset <= size && block.size <= size - block.offset, "a tile lies in the file");
  }
}

void run(Input bytes) {
  const std::string_view header(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  for (const uint64_t size : {uint64_t{1} << 12, uint64_t{1} << 20, UINT64_MAX}) {
    expect_errors_only([&] {
      const TiffLayout layout = decode_tacotiff_header(header, size, "a.tif");
      require_inside(layout, size);
      require(encode_tacotiff_header(layout) == header, "what is decoded is encoded as it was");
    });
    expect_errors_only([&] { require_inside(layout_from_header(header, size, "a.tif"), size); });
  }
}

}  // namespace
}  // namespace tacore::fuzz

TACORE_FUZZ_TARGET(tacore::fuzz::run)
