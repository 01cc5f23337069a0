#include <algorithm>
#include <optional>

#include "model/antimeridian.hpp"
#include "model/collection_merge.hpp"
#include "model/grid_footprint.hpp"
#include "model/known_crs.hpp"
#include "model/wkb.hpp"
#include "table/extent_sum.hpp"
#include "table/metadata_columns.hpp"
#include "table/values.hpp"
#include "tacore/error.hpp"
#include "tacore/write/sample.hpp"
#include "writer/tortilla_impl.hpp"

namespace tacore::extensions {
namespace {

/// The location and time of a sample.
struct Place {
  std::string wkb = {};  ///< "": not known
  std::optional<TimeRange> times = {};
};

/// The columns of a level that hold locations and times.
class Stated {
 public:
  explicit Stated(const TreeLevel& level) : level_(level) {}

  bool has(const char* name) const { return column(name) != nullptr; }

  std::vector<Place> places(const CrsTransformer* transformer) const {
    std::vector<Place> out(level_.ids.size());
    const auto geometries = values("istac:geometry"), systems = values("istac:crs");
    const auto centroids = values("stac:centroid"), others = values("istac:centroid");
    const auto grid_systems = values("stac:crs"), shapes = values("stac:tensor_shape"),
               transforms = values("stac:geotransform");
    for (std::size_t row = 0; row < out.size(); ++row) {
      std::string& wkb = out[row].wkb;
      const auto* crs = at(systems, row).get<std::string>();
      if (!crs || is_wgs84(*crs)) wkb = bytes(at(geometries, row));
      if (wkb.empty()) wkb = footprint(at(grid_systems, row), at(shapes, row), at(transforms, row), transformer);
      if (wkb.empty()) wkb = bytes(at(centroids, row));
      if (wkb.empty()) wkb = bytes(at(others, row));
    }
    for (const char* name : {"stac:time_start", "stac:time_end", "istac:time_start", "istac:time_end"}) {
      const auto times = values(name);
      for (std::size_t row = 0; row < times.size(); ++row) {
        if (const auto* time = times[row].get<Timestamp>()) add(out[row].times, {*time, *time});
      }
    }
    return out;
  }

  static void add(std::optional<TimeRange>& times, const TimeRange& more) {
    if (!times) times = more;
    times->start = std::min(times->start, more.start);
    times->end = std::max(times->end, more.end);
  }

 private:
  std::shared_ptr<arrow::ChunkedArray> column(const char* name) const {
    return level_.columns ? column_or_null(*level_.columns, name) : nullptr;
  }
  std::vector<Value> values(const char* name) const {
    const auto found = column(name);
    return found ? read_values(*found) : std::vector<Value>();
  }
  static const Value& at(const std::vector<Value>& values, std::size_t row) {
    static const Value null;
    return values.empty() ? null : values[row];
  }
  static std::string bytes(const Value& value) {
    const auto* out = value.get<Binary>();
    return out ? out->bytes : "";
  }

  static std::string footprint(const Value& crs, const Value& shape, const Value& transform,
                               const CrsTransformer* transformer) {
    const auto* name = crs.get<std::string>();
    const auto *sizes = shape.get<Value::List>(), *numbers = transform.get<Value::List>();
    if (!name || !sizes || sizes->size() < 2 || !numbers || numbers->size() != 6) return "";
    Grid grid{.crs = *name};
    for (std::size_t i = 0; i < 6; ++i) {
      const auto* number = (*numbers)[i].get<double>();
      if (!number) return "";
      grid.geotransform[i] = *number;
    }
    const auto *rows = (*sizes)[sizes->size() - 2].get<int64_t>(), *columns = sizes->back().get<int64_t>();
    if (!rows || !columns) return "";
    grid.rows = *rows;
    grid.columns = *columns;
    try {
      return grid_footprint(grid, transformer);
    } catch (const SchemaError&) {
      return "";  // the CRS is not known: the centroid locates the sample
    }
  }

  const TreeLevel& level_;
};

/// The extent of children: the first, where all agree, else the smallest box around them.
std::string united(const std::vector<const std::string*>& footprints) {
  std::vector<BBox> boxes, all;
  for (const std::string* wkb : footprints) {
    const auto parts = wkb_part_envelopes(std::as_bytes(std::span(*wkb)));
    if (parts.empty()) continue;
    all.insert(all.end(), parts.begin(), parts.end());
    boxes.push_back(merge_boxes(parts));
  }
  if (boxes.empty()) return "";
  const bool agree = std::all_of(boxes.begin(), boxes.end(),
                                 [&](const BBox& box) { return contains(box, boxes[0]) && contains(boxes[0], box); });
  if (agree && boxes.size() == footprints.size()) return *footprints[0];
  BBox box = merge_boxes(all);
  if (box.maxx < box.minx) box.maxx += 360;
  return wkb_within_180({{box.minx, box.miny}, {box.maxx, box.miny}, {box.maxx, box.maxy}, {box.minx, box.maxy}});
}

/// The columns that some FOLDERs need.
struct Filled {
  bool place = false, time = false;
};

/// FOLDERs without a location get that of their children.
Filled fill(std::vector<Place>& places, const TreeLevel& level, const std::vector<Place>& below,
            const std::vector<int64_t>& parents) {
  Filled out;
  std::vector<std::vector<const std::string*>> footprints(places.size());
  std::vector<std::optional<TimeRange>> times(places.size());
  for (std::size_t child = 0; child < below.size(); ++child) {
    const auto parent = static_cast<std::size_t>(parents[child]);
    if (!below[child].wkb.empty()) footprints[parent].push_back(&below[child].wkb);
    if (below[child].times) Stated::add(times[parent], *below[child].times);
  }
  for (std::size_t row = 0; row < places.size(); ++row) {
    if (level.types[row] != SampleType::Folder) continue;
    if (places[row].wkb.empty() && !footprints[row].empty()) {
      places[row].wkb = united(footprints[row]);
      out.place = true;
    }
    if (!places[row].times && times[row]) {
      places[row].times = times[row];
      out.time = true;
    }
  }
  return out;
}

/// The columns for all samples of the level, FILEs too: filters prefer these columns to those of STAC.
std::vector<MetadataColumn> columns_of(const std::vector<Place>& places, const Filled& wanted) {
  const std::vector<Value> nulls(places.size());
  MetadataColumn crs{"istac:crs", nulls, "string", "Coordinate reference system of the footprint"};
  MetadataColumn geometry{"istac:geometry", nulls, "binary", "Footprint: WKB; of a FOLDER that of its children"};
  MetadataColumn start{"istac:time_start", nulls, "timestamp[us]", "Start of acquisition, UTC"};
  MetadataColumn end{"istac:time_end", nulls, "timestamp[us]", "End of acquisition, UTC"};
  for (std::size_t row = 0; row < places.size(); ++row) {
    const auto& [wkb, times] = places[row];
    if (!wkb.empty()) {
      crs.values[row] = Value("EPSG:4326");
      geometry.values[row] = Binary{wkb};
    }
    if (times) {
      start.values[row] = times->start;
      end.values[row] = times->end;
    }
  }
  std::vector<MetadataColumn> out;
  if (wanted.place) out = {std::move(crs), std::move(geometry)};
  if (wanted.time) out.insert(out.end(), {std::move(start), std::move(end)});
  return out;
}

}  // namespace

Tortilla with_folder_places(const Tortilla& samples, const CrsTransformer* transformer) {
  const Tree& tree = impl_of(samples)->tree;
  Tortilla out = samples;
  std::vector<Place> below;
  for (std::size_t k = tree.levels.size(); k-- > 0;) {
    const TreeLevel& level = tree.levels[k];
    const Stated stated(level);
    std::vector<Place> places = stated.places(transformer);
    if (!below.empty()) {
      Filled wanted = fill(places, level, below, tree.levels[k + 1].parents);
      if (stated.has("istac:crs") || stated.has("istac:geometry")) wanted.place = false;
      if (stated.has("istac:time_start") || stated.has("istac:time_end")) wanted.time = false;
      const auto columns = columns_of(places, wanted);
      if (!columns.empty()) out = out.extend_with(columns, static_cast<int>(k));
    }
    below = std::move(places);
  }
  return out;
}

}  // namespace tacore::extensions
