#include "raster/tiff_directory.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>
#include <span>
#include <utility>

#include "base/checked_math.hpp"
#include "base/number_text.hpp"
#include "raster/tiff_tags.hpp"
#include "tacore/error.hpp"

namespace tacore {
namespace {

std::string name(TiffTag tag) { return "tag " + std::to_string(static_cast<uint16_t>(tag)); }

// More fields than any writer makes, and few enough for one read.
constexpr uint64_t kMostEntries = 4096;

/// The size of a value of a field type, 0 for unknown types.
std::size_t size_of_field_type(uint16_t type) {
  switch (type) {
    case 1:
    case 2:
    case 6:
    case 7: return 1;
    case 3:
    case 8: return 2;
    case 4:
    case 9:
    case 11:
    case 13: return 4;
    case 5:
    case 10:
    case 12:
    case 16:
    case 17:
    case 18: return 8;
    default: return 0;
  }
}

/// Reads fields in the byte order of the file. Values in the head, which is read first, take no further request.
class TiffReader {
 public:
  explicit TiffReader(const ByteSource& source) : source_(source) {
    head_ = source.read({0, std::min(source.size(), kTiffHeadSize)});
  }

  [[noreturn]] void fail(const std::string& why, std::optional<uint64_t> offset = {}) const {
    throw FormatError("TIFF: " + why, {.path = source_.name(), .offset = offset});
  }

  std::span<const std::byte> head() const { return head_; }

  /// Throws FormatError, in which `what` names these bytes, unless the range lies in the file.
  template <class What>
  std::span<const std::byte> bytes(uint64_t offset, uint64_t size, const What& what) {
    const uint64_t file = source_.size();
    if (offset > file || size > file - offset) {
      fail(what() + ": " + std::to_string(size) + " bytes are outside of the file of " + std::to_string(file), offset);
    }
    end_ = std::max(end_, offset + size);
    if (offset + size <= head_.size()) return std::span(head_).subspan(offset, size);
    rest_ = source_.read({offset, size});
    return rest_;
  }

  template <class T>
  T number(const std::byte* at) const {
    T out;
    std::memcpy(&out, at, sizeof(T));
    if (is_big_endian != (std::endian::native == std::endian::big)) {
      std::byte* first = reinterpret_cast<std::byte*>(&out);
      std::reverse(first, first + sizeof(T));
    }
    return out;
  }

  uint64_t unsigned_number(const std::byte* at, std::size_t size) const {
    switch (size) {
      case 1: return static_cast<uint64_t>(*at);
      case 2: return number<uint16_t>(at);
      case 4: return number<uint32_t>(at);
      default: return number<uint64_t>(at);
    }
  }

  const ByteSource& source() const { return source_; }
  uint64_t end() const { return end_; }

  bool is_big_endian = false;
  bool is_big = false;

 private:
  const ByteSource& source_;
  Bytes head_, rest_;
  uint64_t end_ = 0;
};

struct Field {
  uint16_t type = 0;
  uint64_t count = 0;
  uint64_t offset = 0;  ///< of the values, from the start of the file
};

/// The fields of a directory by tag; of two fields with one tag the first is used.
class Fields {
 public:
  explicit Fields(TiffReader& reader) : reader_(reader) {}

  /// Reads a directory and returns the offset of the next one.
  uint64_t read(uint64_t offset) {
    const bool big = reader_.is_big;
    const uint64_t count_size = big ? 8 : 2, entry_size = big ? 20 : 12, link_size = big ? 8 : 4;
    const uint64_t count = reader_.unsigned_number(
        reader_.bytes(offset, count_size, [] { return std::string("directory"); }).data(), count_size);
    if (count == 0 || count > kMostEntries) {
      reader_.fail("a directory of " + std::to_string(count) + " fields, expected 1 to " + std::to_string(kMostEntries),
                   offset);
    }
    const uint64_t begin = offset + count_size, size = count * entry_size;
    const auto entries =
        reader_.bytes(begin, size + link_size, [&] { return "directory of " + std::to_string(count) + " fields"; });
    fields_.reserve(count);
    for (uint64_t i = 0; i < count; ++i) {
      const std::byte* at = entries.data() + i * entry_size;
      Field field;
      const auto tag = static_cast<TiffTag>(reader_.number<uint16_t>(at));
      field.type = reader_.number<uint16_t>(at + 2);
      field.count = big ? reader_.number<uint64_t>(at + 4) : reader_.number<uint32_t>(at + 4);
      const uint64_t inline_size = big ? 8 : 4;
      const std::byte* value = at + (big ? 12 : 8);
      const uint64_t width = size_of_field_type(field.type);
      if (width == 0) continue;  // a type that is not in TIFF 6.0 or BigTIFF: its tag is not one that is used here
      const uint64_t value_size = checked_multiply<uint64_t>(field.count, width, "TIFF: size of a field");
      field.offset = value_size <= inline_size ? begin + i * entry_size + (big ? 12 : 8)
                                               : reader_.unsigned_number(value, inline_size);
      if (!has(tag)) fields_.emplace_back(tag, field);
    }
    return reader_.unsigned_number(entries.data() + size, link_size);
  }

  bool has(TiffTag tag) const { return find(tag) != nullptr; }
  uint64_t count(TiffTag tag) const { return has(tag) ? find(tag)->count : 0; }

  /// The values of an integer field, at most `most` of them; empty when it is absent.
  std::vector<uint64_t> integers(TiffTag tag, uint64_t most) {
    std::vector<uint64_t> out;
    if (!has(tag)) return out;
    const Field& field = *find(tag);
    switch (field.type) {
      case 1:
      case 3:
      case 4:
      case 7:
      case 13:
      case 16:
      case 18: break;
      default: fail(tag, "is of type " + std::to_string(field.type) + ", expected unsigned integers");
    }
    const std::size_t width = size_of_field_type(field.type);
    const uint64_t count = std::min(field.count, most);
    const auto bytes = reader_.bytes(field.offset, count * width, [&] { return name(tag); });
    out.resize(count);
    for (uint64_t i = 0; i < count; ++i) out[i] = reader_.unsigned_number(bytes.data() + i * width, width);
    return out;
  }

  /// As integers(), for a field of 16-bit numbers.
  std::vector<uint16_t> shorts(TiffTag tag, uint64_t most) {
    std::vector<uint16_t> out;
    for (const uint64_t value : integers(tag, most))
      out.push_back(narrow<uint16_t>(value, "TIFF: a number of 16 bits"));
    return out;
  }

  uint64_t integer(TiffTag tag, uint64_t otherwise) {
    const auto values = integers(tag, 1);
    if (has(tag) && values.empty()) fail(tag, "has no value");
    return values.empty() ? otherwise : values[0];
  }

  uint64_t required(TiffTag tag) {
    if (!has(tag)) fail(tag, "is missing");
    return integer(tag, 0);
  }

  /// The value that all bands share; nullopt when they differ.
  std::optional<uint64_t> same(TiffTag tag, uint64_t otherwise, uint64_t bands) {
    const auto values = integers(tag, bands);
    if (values.empty()) return otherwise;
    const bool equal = std::all_of(values.begin(), values.end(), [&](uint64_t value) { return value == values[0]; });
    return equal ? std::optional(values[0]) : std::nullopt;
  }

  std::vector<double> doubles(TiffTag tag) {
    std::vector<double> out;
    if (!has(tag)) return out;
    const Field& field = *find(tag);
    if (field.type != 12) fail(tag, "is of type " + std::to_string(field.type) + ", expected 12 (double)");
    const auto bytes = reader_.bytes(field.offset, field.count * 8, [&] { return name(tag); });
    out.resize(field.count);
    for (uint64_t i = 0; i < field.count; ++i) out[i] = reader_.number<double>(bytes.data() + i * 8);
    return out;
  }

  /// Text up to its first NUL; "" when it is absent.
  std::string text(TiffTag tag) {
    if (!has(tag)) return {};
    const Field& field = *find(tag);
    if (field.type != 2 && field.type != 7 && field.type != 1) {
      fail(tag, "is of type " + std::to_string(field.type) + ", expected 2 (text)");
    }
    const auto bytes = reader_.bytes(field.offset, field.count, [&] { return name(tag); });
    const std::string_view all(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return std::string(all.substr(0, all.find('\0')));
  }

 private:
  const Field* find(TiffTag tag) const {
    const auto found = std::find_if(fields_.begin(), fields_.end(), [&](const auto& one) { return one.first == tag; });
    return found == fields_.end() ? nullptr : &found->second;
  }
  [[noreturn]] void fail(TiffTag tag, const std::string& why) const { reader_.fail(name(tag) + " " + why); }

  TiffReader& reader_;
  std::vector<std::pair<TiffTag, Field>> fields_ = {};  ///< few: searched linearly
};

const char* compression_name(uint64_t code) {
  switch (code) {
    case 2:
    case 3:
    case 4: return "CCITT";
    case 6:
    case 7: return "JPEG";
    case 32773: return "PACKBITS";
    case 34712: return "JPEG 2000";
    case 34887: return "LERC";
    case 34925: return "LZMA";
    case 50001: return "WEBP";
    case 50002:
    case 52546: return "JXL";
    default: return "unknown";
  }
}

std::optional<Compression> compression_of(uint64_t code) {
  switch (code) {
    case 1: return Compression::None;
    case 5: return Compression::Lzw;
    case 8:
    case 32946: return Compression::Deflate;
    case 50000: return Compression::Zstd;
    default: return std::nullopt;
  }
}

std::optional<DataType> type_of(uint64_t format, uint64_t bits) {
  const bool is_signed = format == 2;
  if (format == 3) {
    if (bits == 32) return DataType::Float32;
    if (bits == 64) return DataType::Float64;
    return std::nullopt;
  }
  if (format != 1 && format != 2 && format != 4) return std::nullopt;
  switch (bits) {
    case 8: return is_signed ? DataType::Int8 : DataType::UInt8;
    case 16: return is_signed ? DataType::Int16 : DataType::UInt16;
    case 32: return is_signed ? DataType::Int32 : DataType::UInt32;
    case 64: return is_signed ? DataType::Int64 : DataType::UInt64;
    default: return std::nullopt;
  }
}

/// Why the pixels cannot be decoded by tacore; "" when they can.
std::string read_pixel_format(Fields& fields, TiffDirectory& out) {
  TiffLayout& layout = out.layout;
  const auto bands = static_cast<uint64_t>(layout.bands);
  const uint64_t code = fields.integer(TiffTag::Compression, 1);
  const auto compression = compression_of(code);
  if (!compression) return "compression " + std::to_string(code) + " (" + compression_name(code) + ")";
  layout.compression = *compression;

  const auto bits = fields.same(TiffTag::BitsPerSample, 1, bands),
             format = fields.same(TiffTag::SampleFormat, 1, bands);
  if (!bits || !format) return "bands of different types";
  const auto type = type_of(*format, *bits);
  if (!type) return std::to_string(*bits) + " bits a sample of sample format " + std::to_string(*format);
  layout.type = *type;

  out.photometric = narrow<int>(fields.integer(TiffTag::Photometric, 1), "TIFF: photometric interpretation");
  if (out.photometric == 6 || out.photometric >= 8) {
    return "photometric interpretation " + std::to_string(out.photometric);
  }
  if (fields.integer(TiffTag::FillOrder, 1) != 1) return "fill order 2";
  // Only these codecs have a predictor; others ignore the tag.
  const uint64_t predictor = *compression == Compression::None ? 1 : fields.integer(TiffTag::Predictor, 1);
  if (predictor < 1 || predictor > 3) return "predictor " + std::to_string(predictor);
  layout.predictor = static_cast<int>(predictor);
  return "";
}

/// Reads the sizes of the image and its blocks.
void read_sizes(Fields& fields, const TiffReader& reader, TiffLayout& layout) {
  const auto positive = [&](TiffTag tag, uint64_t value, uint64_t most) {
    if (value == 0 || value > most) {
      reader.fail(name(tag) + " is " + std::to_string(value) + ", expected 1 to " + std::to_string(most));
    }
    return static_cast<int64_t>(value);
  };
  constexpr uint64_t kMost = INT32_MAX;
  layout.width = positive(TiffTag::Width, fields.required(TiffTag::Width), kMost);
  layout.height = positive(TiffTag::Height, fields.required(TiffTag::Height), kMost);
  layout.bands =
      static_cast<int>(positive(TiffTag::SamplesPerPixel, fields.integer(TiffTag::SamplesPerPixel, 1), UINT16_MAX));
  const uint64_t planar = fields.integer(TiffTag::PlanarConfiguration, 1);
  if (planar != 1 && planar != 2) reader.fail("planar configuration " + std::to_string(planar) + ", expected 1 or 2");
  layout.is_planar = planar == 2;
  layout.is_tiled = fields.has(TiffTag::TileWidth) || fields.has(TiffTag::TileOffsets);
  if (layout.is_tiled) {
    layout.block_width = positive(TiffTag::TileWidth, fields.required(TiffTag::TileWidth), kMost);
    layout.block_height = positive(TiffTag::TileHeight, fields.required(TiffTag::TileHeight), kMost);
  } else {
    layout.block_width = layout.width;
    const auto rows = fields.integer(TiffTag::RowsPerStrip, static_cast<uint64_t>(layout.height));
    layout.block_height = positive(TiffTag::RowsPerStrip, std::min(rows, static_cast<uint64_t>(layout.height)), kMost);
  }
}

void read_blocks(Fields& fields, const TiffReader& reader, TiffLayout& layout) {
  const TiffTag offsets_tag = layout.is_tiled ? TiffTag::TileOffsets : TiffTag::StripOffsets;
  const TiffTag sizes_tag = layout.is_tiled ? TiffTag::TileByteCounts : TiffTag::StripByteCounts;
  const uint64_t expected = layout.num_blocks();
  for (const TiffTag tag : {offsets_tag, sizes_tag}) {
    if (fields.count(tag) < expected && (tag == offsets_tag || fields.has(tag))) {
      reader.fail(name(tag) + " has " + std::to_string(fields.count(tag)) + " blocks, the image size requires " +
                  std::to_string(expected));
    }
  }
  const auto offsets = fields.integers(offsets_tag, expected);
  auto sizes = fields.integers(sizes_tag, expected);
  if (!fields.has(sizes_tag)) {
    // Early writers left byte counts out where they follow from the size of the image.
    if (layout.compression != Compression::None || expected != 1) {
      reader.fail(name(sizes_tag) + " is missing");
    }
    sizes.assign(1, layout.block_bytes());
  }
  layout.blocks.resize(expected);
  for (uint64_t i = 0; i < expected; ++i) {
    layout.blocks[i] = sizes[i] == 0 ? ByteRange{} : ByteRange{offsets[i], sizes[i]};
  }
}

std::optional<double> parse_nodata(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '+')) text.remove_prefix(1);
  const auto number = parse_number_prefix(text);
  return number ? std::optional(number->value) : std::nullopt;
}

template <class T>
std::optional<uint64_t> parse_bits(std::string_view text) {
  T value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return static_cast<uint64_t>(value);
}

uint64_t read_header(TiffReader& reader) {
  const auto head = reader.bytes(0, 8, [] { return std::string("header"); });
  reader.is_big_endian = head[0] == std::byte{'M'};
  reader.is_big = reader.number<uint16_t>(head.data() + 2) == 43;
  if (!reader.is_big) return reader.number<uint32_t>(head.data() + 4);
  const auto whole = reader.bytes(0, 16, [] { return std::string("BigTIFF header"); });
  const auto offset_size = reader.number<uint16_t>(whole.data() + 4);
  if (offset_size != 8) reader.fail("BigTIFF: offsets of " + std::to_string(offset_size) + " bytes, expected 8", 4);
  return reader.number<uint64_t>(whole.data() + 8);
}

}  // namespace

bool is_tiff(std::span<const std::byte> head) {
  if (head.size() < 4) return false;
  const auto is = [&](std::initializer_list<int> expected) {
    return std::equal(expected.begin(), expected.end(), head.begin(),
                      [](int a, std::byte b) { return static_cast<std::byte>(a) == b; });
  };
  return is({'I', 'I', 42, 0}) || is({'M', 'M', 0, 42}) || is({'I', 'I', 43, 0}) || is({'M', 'M', 0, 43});
}

std::optional<TiffDirectory> find_tiff_directory(const ByteSource& source) {
  TiffReader reader(source);
  if (!is_tiff(reader.head())) return std::nullopt;
  const uint64_t first = read_header(reader);
  Fields fields(reader);
  TiffDirectory out;
  out.is_big = reader.is_big;
  out.has_more = fields.read(first) != 0;
  out.layout.is_big_endian = reader.is_big_endian;
  read_sizes(fields, reader, out.layout);
  out.unsupported = read_pixel_format(fields, out);

  out.gdal_metadata = fields.text(TiffTag::GdalMetadata);
  out.layout.is_tile_interleaved = out.gdal_metadata.find("name=\"INTERLEAVE\"") != std::string::npos &&
                                   out.gdal_metadata.find(">TILE<") != std::string::npos;
  out.nodata_text = fields.text(TiffTag::GdalNodata);
  out.layout.nodata = parse_nodata(out.nodata_text);
  if (out.layout.type == DataType::Int64) out.layout.nodata_bits = parse_bits<int64_t>(out.nodata_text);
  if (out.layout.type == DataType::UInt64) out.layout.nodata_bits = parse_bits<uint64_t>(out.nodata_text);
  out.pixel_scale = fields.doubles(TiffTag::ModelPixelScale);
  out.tiepoints = fields.doubles(TiffTag::ModelTiepoint);
  out.transformation = fields.doubles(TiffTag::ModelTransformation);
  out.geo_doubles = fields.doubles(TiffTag::GeoDoubleParams);
  out.geo_ascii = fields.text(TiffTag::GeoAsciiParams);
  out.geo_keys = fields.shorts(TiffTag::GeoKeyDirectory, UINT16_MAX);
  out.extra_samples = fields.shorts(TiffTag::ExtraSamples, UINT16_MAX);
  out.color_map = fields.shorts(TiffTag::ColorMap, 3 * (UINT16_MAX + 1));
  if (out.unsupported.empty()) {
    read_blocks(fields, reader, out.layout);
    check_layout(out.layout, source.size(), source.name());
  }
  out.directory_end = reader.end();
  return out;
}

std::string read_tiff_time(const ByteSource& source) {
  TiffReader reader(source);
  Fields fields(reader);
  fields.read(read_header(reader));
  return fields.text(TiffTag::DateTime);
}

TiffDirectory read_tiff_directory(const ByteSource& source) {
  auto out = find_tiff_directory(source);
  if (!out) throw FormatError("TIFF: the file does not begin as a TIFF", {.path = source.name(), .offset = 0});
  return std::move(*out);
}

}  // namespace tacore
