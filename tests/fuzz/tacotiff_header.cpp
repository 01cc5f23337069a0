#include "raster/tacotiff_header.hpp"

#include "fuzz.hpp"

/// The input is a header.
namespace tacore::fuzz {
namespace {

void run(Input bytes) {
  const std::string_view header(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  for (const uint64_t size : {uint64_t{1} << 12, uint64_t{1} << 20, UINT64_MAX}) {
    expect_errors_only([&] {
      const TiffLayout layout = decode_tacotiff_header(header, size, "a.tif");
      for (const ByteRange& block : layout.blocks) {
        require(block.offset <= size && block.size <= size - block.offset, "a tile lies in the file");
      }
      require(encode_tacotiff_header(layout) == header, "what is decoded is encoded as it was");
    });
  }
}

}  // namespace
}  // namespace tacore::fuzz

TACORE_FUZZ_TARGET(tacore::fuzz::run)
