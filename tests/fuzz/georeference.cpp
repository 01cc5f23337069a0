#include <bit>

#include "base/little_endian.hpp"
#include "fuzz.hpp"
#include "raster/tiff_directory.hpp"
#include "tortilla/streaming/mrio_axes.hpp"

/// The input is what the tags of a TIFF say of where its pixels lie: three lengths, doubles, keys, and GDAL's metadata.
namespace tacore::fuzz {
namespace {

std::vector<double> doubles(Cursor& in, std::size_t count) {
  std::vector<double> out(count);
  for (double& value : out) value = std::bit_cast<double>(in.u64());
  return out;
}

void run(Input bytes) {
  expect_errors_only([&] {
    Cursor in(bytes, "input");
    TiffDirectory directory;
    const int scale = in.u8() % 5, tiepoints = in.u8() % 14, matrix = in.u8() % 18, keys = in.u8();
    directory.pixel_scale = doubles(in, static_cast<std::size_t>(scale));
    directory.tiepoints = doubles(in, static_cast<std::size_t>(tiepoints));
    directory.transformation = doubles(in, static_cast<std::size_t>(matrix));
    for (int i = 0; i < keys; ++i) directory.geo_keys.push_back(in.u16());
    const std::string metadata(in.text(in.remaining()));
    expect_errors_only([&] {
      const Georeference found = georeference_of(directory);
      require(found.crs.empty() || found.crs.starts_with("EPSG:"), "a code or nothing");
    });
    for (const int bands : {1, 6, 65535}) {
      expect_errors_only([&] {
        int64_t product = 1;
        for (const int64_t length : mrio_axes(metadata, bands)) product *= length;
        require(product == 1 || product == bands, "the axes are those of the bands");
      });
    }
  });
}

}  // namespace
}  // namespace tacore::fuzz

TACORE_FUZZ_TARGET(tacore::fuzz::run)
