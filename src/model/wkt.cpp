#include "model/wkt.hpp"

#include <algorithm>
#include <vector>

#include "base/number_text.hpp"
#include "model/wkb_walk.hpp"

namespace tacore {
namespace {

/// Writes what Walk shows it.
class WktWriter {
 public:
  void open(wkb::GeometryType type) {
    begin(type);
    open_.push_back(type);
    is_first_ = true;
  }
  void close() {
    out_ += is_first_ ? "EMPTY" : ")";
    open_.pop_back();
    is_first_ = false;
  }
  void point(wkb::Position position) {
    begin(wkb::kPoint);
    out_ += "(" + text_of(position) + ")";
  }
  void empty_point() {
    begin(wkb::kPoint);
    out_ += "EMPTY";
  }
  void line(const wkb::Path& path) {
    begin(wkb::kLineString);
    positions(path);
  }
  void polygon(const wkb::Rings& rings) {
    begin(wkb::kPolygon);
    bool is_first = true;
    rings.for_each([&](const wkb::Path& ring) {
      out_ += is_first ? "(" : ", ";
      is_first = false;
      positions(ring);
    });
    out_ += is_first ? "EMPTY" : ")";
  }
  std::string take() { return std::move(out_); }

 private:
  /// Members of a MULTI... have no name of their own.
  void begin(wkb::GeometryType type) {
    static constexpr const char* kNames[] = {"",           "POINT",           "LINESTRING",   "POLYGON",
                                             "MULTIPOINT", "MULTILINESTRING", "MULTIPOLYGON", "GEOMETRYCOLLECTION"};
    if (!open_.empty()) out_ += is_first_ ? "(" : ", ";
    is_first_ = false;
    if (open_.empty() || open_.back() == wkb::kCollection) out_ += std::string(kNames[type]) + " ";
  }

  void positions(const wkb::Path& path) {
    if (path.size() == 0) out_ += "EMPTY";
    for (std::size_t i = 0; i < path.size(); ++i) out_ += (i == 0 ? "(" : ", ") + text_of(path[i]);
    if (path.size() > 0) out_ += ")";
  }

  static std::string text_of(wkb::Position position) { return number_text(position.x) + " " + number_text(position.y); }

  std::string out_;
  std::vector<wkb::GeometryType> open_;  ///< the collections that a member is in
  bool is_first_ = true;                 ///< of the members of the last one
};

/// True when the type in the header has no Z, M or SRID.
bool is_plain(std::span<const std::byte> wkb) {
  if (wkb.size() < 5) return false;
  const bool is_little = wkb[0] == std::byte{1};
  const auto byte = [&](std::size_t i) { return std::to_integer<uint32_t>(wkb[is_little ? 1 + i : 4 - i]); };
  return (byte(0) | byte(1) << 8 | byte(2) << 16 | byte(3) << 24) <= wkb::kCollection;
}

}  // namespace

bool is_geometry_column(std::string_view name) {
  static constexpr std::string_view kNames[] = {"istac:geometry", "stac:centroid", "istac:centroid"};
  if (name.size() > 3 && name[0] == 'l' && name[2] == ':') name.remove_prefix(3);
  return std::ranges::find(kNames, name) != std::end(kNames);
}

std::optional<std::string> wkt_of(std::span<const std::byte> wkb) {
  if (!is_plain(wkb)) return std::nullopt;
  try {
    WktWriter writer;
    wkb::Walk(wkb, writer);
    return writer.take();
  } catch (const FormatError&) {
    return std::nullopt;
  }
}

}  // namespace tacore
