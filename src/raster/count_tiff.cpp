#include "raster/count_tiff.hpp"

#include <algorithm>
#include <bit>

#include "base/threads.hpp"
#include "raster/codecs.hpp"
#include "raster/tiff_fields.hpp"

namespace tacore {
namespace {

constexpr int64_t kStripBytes = 65536;
constexpr int kZstdLevel = 13;
constexpr uint64_t kBytesUnderWay = uint64_t{64} << 20;

/// Horizontal differencing (predictor 2): each count minus that of the previous bin of its band.
void take_differences(std::span<uint32_t> row, std::size_t bands) {
  for (std::size_t i = row.size(); i-- > bands;) row[i] -= row[i - bands];
}

/// The head of the file; its strips have these sizes and follow each other.
Bytes head_of(int64_t width, int64_t num_rows, int bands, int64_t rows_per_strip, const std::vector<uint64_t>& sizes,
              uint64_t begin) {
  const auto of_bands = [&](uint16_t value) { return std::vector<uint16_t>(static_cast<std::size_t>(bands), value); };
  std::vector<uint64_t> offsets;
  for (const uint64_t size : sizes) {
    offsets.push_back(begin);
    begin += size;
  }
  TiffFields fields;
  fields.number(TiffTag::Width, static_cast<uint64_t>(width));
  fields.number(TiffTag::Height, static_cast<uint64_t>(num_rows));
  fields.shorts(TiffTag::BitsPerSample, of_bands(32));
  fields.number(TiffTag::Compression, tiff_compression(Compression::Zstd));
  fields.number(TiffTag::Photometric, 1);
  fields.long8s(TiffTag::StripOffsets, offsets);
  fields.number(TiffTag::SamplesPerPixel, static_cast<uint64_t>(bands));
  fields.number(TiffTag::RowsPerStrip, static_cast<uint64_t>(rows_per_strip));
  fields.long8s(TiffTag::StripByteCounts, sizes);
  fields.number(TiffTag::PlanarConfiguration, 1);
  fields.number(TiffTag::Predictor, 2);
  if (bands > 1) fields.shorts(TiffTag::ExtraSamples, std::vector<uint16_t>(static_cast<std::size_t>(bands) - 1, 0));
  fields.shorts(TiffTag::SampleFormat, of_bands(1));
  Bytes out = big_tiff_header(kBigTiffHeader, false);
  const Bytes directory = fields.encode(kBigTiffHeader);
  out.insert(out.end(), directory.begin(), directory.end());
  return out;
}

}  // namespace

Bytes encode_count_tiff(int64_t width, int64_t num_rows, int bands, int jobs,
                        const std::function<std::vector<uint32_t>(int64_t)>& row) {
  const int64_t row_bytes = width * bands * int64_t{4};
  const int64_t rows_per_strip = std::clamp<int64_t>(kStripBytes / row_bytes, 1, num_rows);
  const auto num_strips = static_cast<std::size_t>((num_rows + rows_per_strip - 1) / rows_per_strip);
  OrderedWork<Bytes> work(std::vector<uint64_t>(num_strips, kStripBytes), kBytesUnderWay, jobs, [&](std::size_t strip) {
    const int64_t begin = static_cast<int64_t>(strip) * rows_per_strip;
    std::vector<uint32_t> counts;
    for (int64_t i = begin; i < std::min(begin + rows_per_strip, num_rows); ++i) {
      auto of_row = row(i);
      take_differences(of_row, static_cast<std::size_t>(bands));
      counts.insert(counts.end(), of_row.begin(), of_row.end());
    }
    const auto bytes = std::as_writable_bytes(std::span(counts));
    if (std::endian::native == std::endian::big) swap_bytes(bytes, sizeof(uint32_t));
    return compress_zstd(bytes, kZstdLevel);
  });
  std::vector<uint64_t> sizes;
  Bytes strips;
  while (const auto strip = work.next()) {
    sizes.push_back(strip->size());
    strips.insert(strips.end(), strip->begin(), strip->end());
  }
  const uint64_t begin = head_of(width, num_rows, bands, rows_per_strip, sizes, 0).size();
  Bytes out = head_of(width, num_rows, bands, rows_per_strip, sizes, begin);
  out.insert(out.end(), strips.begin(), strips.end());
  return out;
}

}  // namespace tacore
