#include "assets/facts.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstring>
#include <string_view>

#include "io/prefetched_source.hpp"
#include "raster/tiff_directory.hpp"
#include "raster/tiff_raster.hpp"
#include "tacore/error.hpp"
#include "tortilla/file_format.hpp"
#include "tortilla/header.hpp"

namespace tacore::assets {
namespace {

/// Width, height and bands of a picture.
struct PictureSize {
  int64_t width = 0, height = 0;
  int bands = 0;
  int bits = 0;  ///< of a value
};

int64_t big_endian(std::span<const std::byte> bytes) {
  int64_t out = 0;
  for (const std::byte byte : bytes) out = out << 8 | static_cast<int64_t>(byte);
  return out;
}

/// PNG (ISO 15948), 11.2.2: the chunk IHDR comes first.
std::optional<PictureSize> size_of_png(std::span<const std::byte> head) {
  if (head.size() < 26 || std::memcmp(head.data() + 12, "IHDR", 4) != 0) return std::nullopt;
  constexpr int kBands[] = {1, 0, 3, 1, 2, 0, 4};  // by colour type
  const auto colour = static_cast<std::size_t>(head[25]);
  return PictureSize{big_endian(head.subspan(16, 4)), big_endian(head.subspan(20, 4)),
                     colour < std::size(kBands) ? kBands[colour] : 0, static_cast<int>(head[24])};
}

/// JPEG (ISO 10918-1), B.2.2: the frame header is the segment of a marker SOF.
std::optional<PictureSize> size_of_jpeg(std::span<const std::byte> head) {
  for (std::size_t at = 2; at + 10 <= head.size();) {
    if (head[at] != std::byte{0xFF}) return std::nullopt;
    const auto marker = static_cast<int>(head[at + 1]);
    if (marker == 0xFF) {  // padding
      ++at;
      continue;
    }
    const bool is_frame = marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC;
    if (is_frame) {
      return PictureSize{big_endian(head.subspan(at + 7, 2)), big_endian(head.subspan(at + 5, 2)),
                         static_cast<int>(head[at + 9]), static_cast<int>(head[at + 4])};
    }
    at += 2 + static_cast<std::size_t>(big_endian(head.subspan(at + 2, 2)));
  }
  return std::nullopt;
}

/// JPEG 2000 (ISO 15444-1), I.5.3.1: the image header box.
std::optional<PictureSize> size_of_jpeg_2000(std::span<const std::byte> head) {
  const std::string_view text(reinterpret_cast<const char*>(head.data()), head.size());
  const std::size_t at = text.find("ihdr");
  if (at == text.npos || at + 15 > head.size()) return std::nullopt;
  return PictureSize{big_endian(head.subspan(at + 8, 4)), big_endian(head.subspan(at + 4, 4)),
                     static_cast<int>(big_endian(head.subspan(at + 12, 2))),
                     (static_cast<int>(head[at + 14]) & 0x7F) + 1};
}

void read_picture(std::span<const std::byte> head, AssetKind& kind) {
  const auto size = kind.format == "PNG"           ? size_of_png(head)
                    : kind.format == "JPEG"        ? size_of_jpeg(head)
                    : kind.format == "JP2OpenJPEG" ? size_of_jpeg_2000(head)
                                                   : std::nullopt;
  if (!size) return;
  kind.width = size->width;
  kind.height = size->height;
  kind.bands = size->bands;
  if (size->bits == 8) kind.type = "uint8";
  if (size->bits == 16) kind.type = "uint16";
}

void read_tiff(const TiffDirectory& directory, AssetKind& kind, AssetFacts& out) {
  const RasterInfo info = info_of(directory.layout);
  kind.width = info.width;
  kind.height = info.height;
  kind.bands = info.bands;
  kind.block_width = info.block_width;
  kind.block_height = info.block_height;
  kind.nodata = directory.nodata_text;
  if (directory.unsupported.empty()) {
    kind.type = to_string(info.type);
    kind.compression = info.compression;
  }
  const Georeference place = georeference_of(directory);
  kind.crs = place.crs;
  out.geotransform = place.geotransform;
}

}  // namespace

std::shared_ptr<const AssetKind> AssetKinds::keep(AssetKind kind) {
  const std::lock_guard lock(mutex_);
  auto found = kinds_.find(kind);
  if (found == kinds_.end()) {
    auto kept = std::make_shared<const AssetKind>(kind);
    found = kinds_.emplace(std::move(kind), std::move(kept)).first;
  }
  return found->second;
}

std::optional<int64_t> parse_tiff_time(const std::string& text) {
  // "YYYY:MM:DD HH:MM:SS" (TIFF 6.0, tag 306)
  constexpr std::string_view kForm = "0000:00:00 00:00:00";
  if (text.size() != kForm.size()) return std::nullopt;
  int parts[6] = {};
  for (std::size_t i = 0, part = 0; i < text.size(); ++i) {
    const bool is_digit = text[i] >= '0' && text[i] <= '9';
    if (kForm[i] != '0') {
      if (text[i] != kForm[i]) return std::nullopt;
      ++part;
    } else if (is_digit) {
      parts[part] = parts[part] * 10 + (text[i] - '0');
    } else {
      return std::nullopt;
    }
  }
  const std::chrono::year_month_day day{std::chrono::year(parts[0]),
                                        std::chrono::month(static_cast<unsigned>(parts[1])),
                                        std::chrono::day(static_cast<unsigned>(parts[2]))};
  if (!day.ok() || parts[3] > 23 || parts[4] > 59 || parts[5] > 60) return std::nullopt;
  const int64_t days = std::chrono::sys_days(day).time_since_epoch().count();
  return (((days * 24 + parts[3]) * 60 + parts[4]) * 60 + parts[5]) * 1'000'000;
}

AssetFacts facts_of(const std::shared_ptr<const ByteSource>& bytes, AssetKinds& kinds) {
  AssetFacts out{.size = bytes->size()};
  AssetKind kind;
  const auto begun = prefetched(bytes, {{0, std::min(out.size, kHeadSize)}});
  const Bytes head = begun->read({0, std::min(out.size, kHeadSize)});
  kind.format =
      v1::guess_format(std::span(head).first(std::min<std::size_t>(head.size(), v1::kHeaderSize)), out.size, "");
  if (kind.format == "GTiff") {
    try {
      read_tiff(read_tiff_directory(*begun), kind, out);
      out.time = parse_tiff_time(read_tiff_time(*begun));
    } catch (const FormatError& error) {
      out.fault = error.message();
    }
  } else {
    read_picture(head, kind);
  }
  out.kind = kinds.keep(std::move(kind));
  return out;
}

}  // namespace tacore::assets
