#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

#include "base/little_endian.hpp"
#include "tacore/error.hpp"

/// The one parser of Well-Known Binary. The visitors interpret the geometry.
namespace tacore::wkb {

enum GeometryType : uint32_t {  // OGC 06-103r4, 8.2.3
  kAny = 0,
  kPoint = 1,
  kLineString = 2,
  kPolygon = 3,
  kMultiPoint = 4,
  kMultiLineString = 5,
  kMultiPolygon = 6,
  kCollection = 7,
};

constexpr int kMaxNesting = 16;

struct Position {
  double x;
  double y;

  bool finite() const { return std::isfinite(x) && std::isfinite(y); }
};

/// How numbers and positions of one geometry are stored.
struct Layout {
  std::size_t stride = 16;  ///< bytes from one position to the next; Z and M follow x and y
  bool swapped = false;

  double number(const std::byte* at) const {
    uint64_t bits;
    double out;
    std::memcpy(&bits, at, sizeof bits);
    if (swapped) bits = __builtin_bswap64(bits);
    std::memcpy(&out, &bits, sizeof out);
    return out;
  }
  uint32_t count(Cursor& in) const {
    const uint32_t out = in.u32();
    const bool big_endian = swapped == (std::endian::native == std::endian::little);
    return big_endian ? __builtin_bswap32(out) : out;
  }
};

/// The positions of a LineString or a ring, in the bytes of the WKB.
class Path {
 public:
  Path(Cursor& in, Layout layout) : layout_(layout), size_(layout.count(in)) {
    bytes_ = in.take(size_ * layout.stride).data();
  }

  std::size_t size() const { return size_; }
  Position operator[](std::size_t i) const {
    const std::byte* at = bytes_ + i * layout_.stride;
    return {layout_.number(at), layout_.number(at + 8)};
  }

 private:
  Layout layout_;
  std::size_t size_;
  const std::byte* bytes_;
};

/// The rings of a Polygon, checked when read, so that they can be visited again.
class Rings {
 public:
  Rings(Cursor& in, std::span<const std::byte> rest, Layout layout)
      : layout_(layout), size_(layout.count(in)), bytes_(rest.subspan(4)) {
    for (uint32_t i = 0; i < size_; ++i) Path(in, layout);
  }

  template <class Visit>
  void for_each(Visit visit) const {
    Cursor in(bytes_, "WKB");
    for (uint32_t i = 0; i < size_; ++i) visit(Path(in, layout_));
  }

 private:
  Layout layout_;
  uint32_t size_;
  std::span<const std::byte> bytes_;
};

/// Takes a geometry apart and shows the visitor its points, lines and polygons: point(Position), line(const Path&),
/// polygon(const Rings&). A visitor that tells collections and empty points apart also has open(GeometryType) and
/// close() around the members of a collection, and empty_point(). Throws FormatError for bytes that are not WKB (see
/// BoxTest::meets_wkb).
template <class Visitor>
class Walk {
 public:
  Walk(std::span<const std::byte> wkb, Visitor& visitor) : wkb_(wkb), in_(wkb, "WKB"), visitor_(visitor) {
    geometry(kAny, 1);
  }

 private:
  void geometry(GeometryType wanted, int nesting) {
    if (nesting > kMaxNesting) fail("is nested deeper than " + std::to_string(kMaxNesting));
    Layout layout;
    const GeometryType type = header(layout);
    if (wanted != kAny && type != wanted) {
      fail("has a member of type " + std::to_string(type) + ", expected " + std::to_string(wanted));
    }
    switch (type) {
      case kPoint: return point(layout);
      case kLineString: return visitor_.line(Path(in_, layout));
      case kPolygon: return visitor_.polygon(Rings(in_, wkb_.subspan(in_.position()), layout));
      case kMultiPoint: return members(layout, type, kPoint, nesting);
      case kMultiLineString: return members(layout, type, kLineString, nesting);
      case kMultiPolygon: return members(layout, type, kPolygon, nesting);
      default: return members(layout, type, kAny, nesting);
    }
  }

  /// ISO adds 1000 (Z), 2000 (M) or 3000 (both) to the type; EWKB sets bits, one for an SRID.
  GeometryType header(Layout& layout) {
    const uint8_t order = in_.u8();
    if (order > 1) fail("has byte order " + std::to_string(order) + ", expected 0 or 1");
    layout.swapped = (order == 1) != (std::endian::native == std::endian::little);
    const uint32_t code = order == 1 ? in_.u32() : __builtin_bswap32(in_.u32());
    const uint32_t plain = code & 0x1fff'ffff;
    const uint32_t iso = plain / 1000;
    const bool z = (code & 0x8000'0000) != 0 || iso == 1 || iso == 3;
    const bool m = (code & 0x4000'0000) != 0 || iso == 2 || iso == 3;
    const uint32_t type = plain % 1000;
    if (iso > 3 || type < kPoint || type > kCollection) {
      fail("has geometry type " + std::to_string(code) + ", expected Point to GeometryCollection");
    }
    if ((code & 0x2000'0000) != 0) in_.skip(4);
    layout.stride = 16 + (z ? 8 : 0) + (m ? 8 : 0);
    return static_cast<GeometryType>(type);
  }

  void point(const Layout& layout) {
    const std::byte* at = in_.take(layout.stride).data();
    const Position p{layout.number(at), layout.number(at + 8)};
    // OGC 12-128r18 (GeoPackage) and PostGIS write an empty point as NaN NaN.
    if (!std::isnan(p.x) && !std::isnan(p.y)) visitor_.point(p);
    else if constexpr (requires { visitor_.empty_point(); }) visitor_.empty_point();
  }

  void members(const Layout& layout, GeometryType type, GeometryType wanted, int nesting) {
    constexpr bool is_told = requires { visitor_.open(type); };
    if constexpr (is_told) visitor_.open(type);
    const uint32_t count = layout.count(in_);
    for (uint32_t i = 0; i < count; ++i) geometry(wanted, nesting + 1);
    if constexpr (is_told) visitor_.close();
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw FormatError("WKB " + what, {.offset = in_.position()});
  }

  std::span<const std::byte> wkb_;
  Cursor in_;
  Visitor& visitor_;
};

}  // namespace tacore::wkb
