#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/byte_source.hpp"
#include "raster/tiff_layout.hpp"
#include "raster/tiff_tags.hpp"

namespace tacore {

/// The fields of a BigTIFF directory to be written. Values of more than 8 bytes follow the directory, in the order in
/// which they were added.
class TiffFields {
 public:
  explicit TiffFields(bool is_big_endian = false) : is_big_endian_(is_big_endian) {}

  void shorts(TiffTag tag, std::span<const uint16_t> values);
  /// Adds a number, as 16 bits where it fits, else as 32.
  void number(TiffTag tag, uint64_t value);
  void longs(TiffTag tag, std::span<const uint32_t> values);
  void long8s(TiffTag tag, std::span<const uint64_t> values);
  void doubles(TiffTag tag, std::span<const double> values);
  /// Adds a text, with a NUL at its end.
  void text(TiffTag tag, std::string_view text);

  /// Directory and values of a file with one directory, for writing at `offset`, which is even. The size is even, too.
  Bytes encode(uint64_t offset) const;
  bool is_big_endian() const noexcept { return is_big_endian_; }

 private:
  struct Field {
    TiffTag tag;
    uint16_t type;
    uint64_t count;
    Bytes values;
  };

  template <class T>
  void add(TiffTag tag, uint16_t type, std::span<const T> values);

  bool is_big_endian_;
  std::vector<Field> fields_;
};

/// The values of tags 259 (compression) and 339 (sample format).
uint16_t tiff_compression(Compression compression);
uint16_t tiff_sample_format(DataType type);
/// The text of tag 42113 (no data): the fewest digits that give this number.
std::string nodata_text(double nodata);

/// The item of tag 42112 that tells GDAL that the tiles of all bands are interleaved.
inline constexpr std::string_view kTileInterleaveItem =
    "  <Item name=\"INTERLEAVE\" domain=\"IMAGE_STRUCTURE\">TILE</Item>\n";

inline constexpr uint64_t kBigTiffHeader = 16;
/// The first 16 bytes of a BigTIFF whose directory begins at `directory`.
Bytes big_tiff_header(uint64_t directory, bool is_big_endian);

}  // namespace tacore
