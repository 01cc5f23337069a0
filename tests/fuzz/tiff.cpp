#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

#include "raster/tiff_directory.hpp"
#include "raster/tiff_raster.hpp"
#include "fuzz.hpp"
#include "io/memory_source.hpp"

/// The input is a whole file.
namespace tacore::fuzz {
namespace {

constexpr int64_t kMaxSide = 64;
constexpr int kMaxBands = 8;

/// The last pixel of `window`, in each band, must be the one that is read alone.
void require_last_pixel(const Raster& raster, std::span<const int> bands, const Window& window, const Bytes& pixels) {
  const std::size_t size = size_of(raster.info().type);
  Bytes pixel(bands.size() * size);
  raster.read(bands, {window.x + window.width - 1, window.y + window.height - 1, 1, 1}, pixel);
  const std::size_t of_band = pixels.size() / bands.size();
  for (std::size_t i = 0; i < bands.size(); ++i) {
    require(std::memcmp(pixel.data() + i * size, pixels.data() + (i + 1) * of_band - size, size) == 0,
            "a pixel is the same in every window");
  }
}

void read_corner(const Raster& raster, bool is_last) {
  const RasterInfo& info = raster.info();
  require(info.width > 0 && info.height > 0 && info.bands > 0, "a raster has pixels");
  Window window{0, 0, std::min(info.width, kMaxSide), std::min(info.height, kMaxSide)};
  if (is_last) window.x = info.width - window.width, window.y = info.height - window.height;
  std::vector<int> bands(static_cast<std::size_t>(std::min(info.bands, kMaxBands)));
  std::iota(bands.begin(), bands.end(), 1);
  Bytes pixels(bands.size() * static_cast<std::size_t>(window.width * window.height) * size_of(info.type));
  raster.read(bands, window, pixels);
  require_last_pixel(raster, bands, window, pixels);
}

void run(Input bytes) {
  const auto source = memory_source("fuzz.tif", Bytes(bytes.begin(), bytes.end()));
  expect_errors_only([&] {
    const TiffDirectory directory = read_tiff_directory(*source);
    expect_errors_only([&] { georeference_of(directory); });
    if (!directory.unsupported.empty()) return;
    check_layout(directory.layout, source->size(), source->name());
    const auto raster = make_tiff_raster(source, directory.layout, source->name());
    expect_errors_only([&] { read_corner(*raster, false); });
    expect_errors_only([&] { read_corner(*raster, true); });
  });
}

}  // namespace
}  // namespace tacore::fuzz

TACORE_FUZZ_TARGET(tacore::fuzz::run)
