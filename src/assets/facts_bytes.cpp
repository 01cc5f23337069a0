#include "assets/facts_bytes.hpp"

#include <bit>
#include <map>
#include <utility>

#include "base/little_endian.hpp"

namespace tacore::assets {
namespace {

constexpr const char* kWhat = "a part of the headers of files";
/// Bits of a row: what it has.
constexpr uint8_t kHasKind = 1, kHasGeotransform = 2, kHasTime = 4;
constexpr uint64_t kSmallestRow = 1 + 8 + 8, kSmallestKind = 5 * 8 + 4 * 8 + 4;

void put_text(FieldWriter& out, std::string_view text) {
  out.u64(text.size());
  out.text(text);
}

std::string text_in(Cursor& in) { return std::string(in.text(in.u64())); }

void put_kind(FieldWriter& out, const AssetKind& kind) {
  for (const std::string* text : {&kind.format, &kind.crs, &kind.type, &kind.compression, &kind.nodata})
    put_text(out, *text);
  for (const int64_t number : {kind.width, kind.height, kind.block_width, kind.block_height})
    out.u64(static_cast<uint64_t>(number));
  out.u32(static_cast<uint32_t>(kind.bands));
}

AssetKind kind_in(Cursor& in) {
  AssetKind out;
  for (std::string* text : {&out.format, &out.crs, &out.type, &out.compression, &out.nodata}) *text = text_in(in);
  for (int64_t* number : {&out.width, &out.height, &out.block_width, &out.block_height})
    *number = static_cast<int64_t>(in.u64());
  out.bands = static_cast<int>(in.u32());
  return out;
}

/// A number of rows that so many bytes can hold.
uint64_t count_in(Cursor& in, uint64_t smallest) {
  const uint64_t out = in.u64();
  if (out > in.remaining() / smallest)
    throw FormatError(std::string(kWhat) + " is truncated: " + std::to_string(out) + " rows expected");
  return out;
}

}  // namespace

std::string encode_facts(std::span<const AssetFacts> facts) {
  std::map<const AssetKind*, uint64_t> numbers;
  FieldWriter kinds, rows;
  for (const AssetFacts& each : facts) {
    rows.u8(static_cast<uint8_t>((each.kind ? kHasKind : 0) | (each.geotransform ? kHasGeotransform : 0) |
                                 (each.time ? kHasTime : 0)));
    rows.u64(each.size);
    if (each.kind) {
      const auto [place, is_new] = numbers.emplace(each.kind.get(), numbers.size());
      if (is_new) put_kind(kinds, *each.kind);
      rows.u64(place->second);
    }
    if (each.geotransform) {
      for (const double number : *each.geotransform) rows.u64(std::bit_cast<uint64_t>(number));
    }
    if (each.time) rows.u64(static_cast<uint64_t>(*each.time));
    put_text(rows, each.fault);
  }
  FieldWriter out;
  out.u64(numbers.size());
  out.bytes(kinds.take());
  out.u64(facts.size());
  out.bytes(rows.take());
  const auto bytes = out.take();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::vector<AssetFacts> decode_facts(std::string_view bytes, AssetKinds& kinds) {
  Cursor in(std::as_bytes(std::span(bytes)), kWhat);
  std::vector<std::shared_ptr<const AssetKind>> known(count_in(in, kSmallestKind));
  for (auto& kind : known) kind = kinds.keep(kind_in(in));
  std::vector<AssetFacts> out(count_in(in, kSmallestRow));
  for (AssetFacts& each : out) {
    const uint8_t has = in.u8();
    each.size = in.u64();
    if ((has & kHasKind) != 0) {
      const uint64_t number = in.u64();
      if (number >= known.size()) throw FormatError(std::string(kWhat) + " names a kind that it does not have");
      each.kind = known[number];
    }
    if ((has & kHasGeotransform) != 0) {
      for (double& number : each.geotransform.emplace()) number = std::bit_cast<double>(in.u64());
    }
    if ((has & kHasTime) != 0) each.time = static_cast<int64_t>(in.u64());
    each.fault = text_in(in);
  }
  if (in.remaining() > 0) throw FormatError(std::string(kWhat) + " has bytes after its end");
  return out;
}

}  // namespace tacore::assets
