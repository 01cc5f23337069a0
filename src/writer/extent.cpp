#include "writer/extent.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/longitude.hpp"
#include "base/text.hpp"
#include "model/collection_merge.hpp"
#include "model/wkb.hpp"
#include "table/metadata_columns.hpp"
#include "table/values.hpp"
#include "tacore/error.hpp"

namespace tacore {
namespace {

constexpr BBox kGlobe{-180, -90, 180, 90};

/// The columns of one family, `stac` or `istac`, at a level.
class Places {
 public:
  Places(const arrow::Table& table, const std::string& family, int level)
      : table_(table), family_(family), level_(level) {}

  bool there() const { return column_or_null(table_, name("centroid")) && column_or_null(table_, name("time_start")); }

  std::optional<BBox> box() const {
    std::vector<BBox> boxes;
    const auto places = values("centroid"), footprints = values("geometry");
    const auto systems = footprints.empty() ? std::vector<Value>() : values("crs");
    for (std::size_t row = 0; row < places.size(); ++row) {
      const bool has_footprint = row < systems.size() && is_wgs84(systems[row]) && footprints[row].get<Binary>();
      const auto* wkb = has_footprint ? footprints[row].get<Binary>() : places[row].get<Binary>();
      if (wkb) add(wkb->bytes, has_footprint ? "geometry" : "centroid", row, boxes);
    }
    return boxes.empty() ? std::nullopt : std::optional(merge_boxes(boxes));
  }

  std::optional<TimeRange> times() const {
    std::optional<TimeRange> out;
    const auto starts = values("time_start"), ends = values("time_end");
    for (std::size_t row = 0; row < starts.size(); ++row) {
      const auto* start = starts[row].get<Timestamp>();
      if (!start) continue;
      const auto* end = row < ends.size() ? ends[row].get<Timestamp>() : nullptr;
      if (!out) out = TimeRange{*start, *start};
      out->start = std::min(out->start, *start);
      out->end = std::max(out->end, end ? *end : *start);
    }
    return out;
  }

 private:
  std::string name(const char* field) const { return family_ + ":" + field; }

  static bool is_wgs84(const Value& crs) {
    const auto* code = crs.get<std::string>();
    return code && (lower(*code) == "epsg:4326" || lower(*code) == "ogc:crs84");
  }

  std::vector<Value> values(const char* field) const {
    const auto column = column_or_null(table_, name(field));
    return column ? read_values(*column) : std::vector<Value>();
  }

  void add(const std::string& wkb, const char* field, std::size_t row, std::vector<BBox>& boxes) const {
    const auto fail = [&](const std::string& what) -> SchemaError {
      return SchemaError(name(field) + " of row " + std::to_string(row) + " " + what,
                         {.path = {}, .offset = {}, .level = level_});
    };
    std::optional<BBox> box;
    try {
      box = wkb_envelope(std::as_bytes(std::span(wkb)));
    } catch (const FormatError& error) {
      throw fail("is no geometry: " + error.message());
    }
    if (!box || !std::isfinite(box->minx) || !std::isfinite(box->maxx)) return;
    if (!(box->miny >= -90 && box->maxy <= 90)) {
      throw fail("has latitude " + std::to_string(box->miny < -90 ? box->miny : box->maxy) + ", -90 to 90 expected");
    }
    if (box->minx < -180 || box->maxx > 180) {
      const bool round = box->maxx - box->minx >= 360;
      box->minx = round ? -180 : wrap_longitude(box->minx);
      box->maxx = round ? 180 : wrap_longitude(box->maxx);
    }
    boxes.push_back(*box);
  }

  const arrow::Table& table_;
  std::string family_;
  int level_;
};

}  // namespace

std::optional<Extent> stated_extent(const Tree& tree) {
  for (int level = 0; level < static_cast<int>(tree.levels.size()); ++level) {
    const auto& table = tree.levels[static_cast<std::size_t>(level)].columns;
    if (!table) continue;
    for (const char* family : {"stac", "istac"}) {
      const Places places(*table, family, level);
      if (places.there()) return Extent{.spatial = places.box().value_or(kGlobe), .temporal = places.times()};
    }
  }
  return std::nullopt;
}

Extent extent_of(const Tree& tree) { return stated_extent(tree).value_or(Extent{.spatial = kGlobe}); }

}  // namespace tacore
