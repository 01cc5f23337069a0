#include "raster/tiff_fields.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "base/number_text.hpp"

namespace tacore {
namespace {

enum FieldType : uint16_t { kText = 2, kShort = 3, kLong = 4, kDouble = 12, kLong8 = 16 };

constexpr uint64_t kInline = 8;
constexpr uint64_t kCountSize = 8, kEntrySize = 20, kLinkSize = 8;

template <class T>
void append(Bytes& out, T value, bool is_big_endian) {
  std::byte bytes[sizeof(T)];
  std::memcpy(bytes, &value, sizeof(T));
  if (is_big_endian != (std::endian::native == std::endian::big)) std::reverse(bytes, bytes + sizeof(T));
  out.insert(out.end(), bytes, bytes + sizeof(T));
}

uint64_t even(uint64_t offset) { return offset + offset % 2; }

}  // namespace

template <class T>
void TiffFields::add(TiffTag tag, uint16_t type, std::span<const T> values) {
  Field field{.tag = tag, .type = type, .count = values.size(), .values = {}};
  for (const T value : values) append(field.values, value, is_big_endian_);
  fields_.push_back(std::move(field));
}

void TiffFields::shorts(TiffTag tag, std::span<const uint16_t> values) { add(tag, kShort, values); }
void TiffFields::longs(TiffTag tag, std::span<const uint32_t> values) { add(tag, kLong, values); }
void TiffFields::long8s(TiffTag tag, std::span<const uint64_t> values) { add(tag, kLong8, values); }
void TiffFields::doubles(TiffTag tag, std::span<const double> values) { add(tag, kDouble, values); }

void TiffFields::number(TiffTag tag, uint64_t value) {
  if (value <= UINT16_MAX) {
    const auto narrow = static_cast<uint16_t>(value);
    shorts(tag, {&narrow, 1});
  } else {
    const auto narrow = static_cast<uint32_t>(value);
    longs(tag, {&narrow, 1});
  }
}

void TiffFields::text(TiffTag tag, std::string_view text) {
  std::vector<char> with_end(text.begin(), text.end());
  with_end.push_back('\0');
  add(tag, kText, std::span<const char>(with_end));
}

Bytes TiffFields::encode(uint64_t offset) const {
  std::vector<const Field*> by_tag;
  for (const Field& field : fields_) by_tag.push_back(&field);
  std::sort(by_tag.begin(), by_tag.end(), [](const Field* a, const Field* b) { return a->tag < b->tag; });

  const uint64_t directory_size = kCountSize + fields_.size() * kEntrySize + kLinkSize;
  std::vector<uint64_t> places(fields_.size());  // offsets of the values, from the directory
  uint64_t end = directory_size;
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    if (fields_[i].values.size() <= kInline) continue;
    places[i] = even(end);
    end = places[i] + fields_[i].values.size();
  }

  Bytes out;
  append(out, static_cast<uint64_t>(fields_.size()), is_big_endian_);
  for (const Field* field : by_tag) {
    append(out, static_cast<uint16_t>(field->tag), is_big_endian_);
    append(out, field->type, is_big_endian_);
    append(out, field->count, is_big_endian_);
    if (field->values.size() > kInline) {
      append(out, offset + places[static_cast<std::size_t>(field - fields_.data())], is_big_endian_);
    } else {
      out.insert(out.end(), field->values.begin(), field->values.end());
      out.resize(out.size() + kInline - field->values.size());
    }
  }
  append(out, uint64_t{0}, is_big_endian_);  // no further directory
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    if (places[i] == 0) continue;
    out.resize(places[i]);
    out.insert(out.end(), fields_[i].values.begin(), fields_[i].values.end());
  }
  out.resize(even(out.size()));
  return out;
}

uint16_t tiff_compression(Compression compression) {
  switch (compression) {
    case Compression::None: return 1;
    case Compression::Lzw: return 5;
    case Compression::Deflate: return 8;
    case Compression::Zstd: return 50000;
  }
  return 0;
}

uint16_t tiff_sample_format(DataType type) {
  switch (type) {
    case DataType::Int8:
    case DataType::Int16:
    case DataType::Int32:
    case DataType::Int64: return 2;
    case DataType::Float32:
    case DataType::Float64: return 3;
    default: return 1;
  }
}

std::string nodata_text(double nodata) { return std::isnan(nodata) ? "nan" : number_text(nodata); }

Bytes big_tiff_header(uint64_t directory, bool is_big_endian) {
  Bytes out(2, static_cast<std::byte>(is_big_endian ? 'M' : 'I'));
  append(out, uint16_t{43}, is_big_endian);
  append(out, uint16_t{8}, is_big_endian);
  append(out, uint16_t{0}, is_big_endian);
  append(out, directory, is_big_endian);
  return out;
}

}  // namespace tacore
