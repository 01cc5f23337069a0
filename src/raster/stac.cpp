#include "tacore/raster/stac.hpp"

#include <algorithm>
#include <functional>

#include "base/threads.hpp"
#include "extensions/columns.hpp"
#include "model/grid_footprint.hpp"
#include "model/identifier.hpp"
#include "tacore/error.hpp"
#include "tacore/write/sample.hpp"

namespace tacore::extensions {
namespace {

Grid grid_of(const Raster& raster, const RasterPlaces& with) {
  Georeference place = raster.georeference();
  const auto refuse = [&](const char* what) {
    throw SchemaError(std::string("the raster has no ") + what + "; expected a CRS and a geotransform",
                      {.path = raster.name()});
  };
  if (!place.geotransform) refuse("geotransform (ground control points are none)");
  // A CRS without a code is more than a TIFF decoder can give.
  if (place.crs.empty() && with.fallback) place.crs = with.fallback->open(raster.name())->georeference().crs;
  if (place.crs.empty()) refuse(with.fallback ? "CRS" : "CRS with a code, and GDAL is needed to find another");
  return {place.crs, *place.geotransform, raster.info().width, raster.info().height};
}

/// The columns that a raster gives, and the one that selects samples.
struct Family {
  std::vector<std::string> names;
  std::string time;
  std::vector<FieldDescription> schema;
  std::vector<Value> (*values)(const Raster&, const RasterPlaces&);
};

std::vector<Value> stac_values(const Raster& raster, const RasterPlaces& with) {
  const StacOptions found = to_stac(raster, with);
  return {found.crs, Value::List(found.tensor_shape.begin(), found.tensor_shape.end()),
          Value::List(found.geotransform.begin(), found.geotransform.end())};
}

std::vector<Value> istac_values(const Raster& raster, const RasterPlaces& with) {
  const IstacOptions found = to_istac(raster, with);
  return {found.crs, found.geometry, *found.centroid};
}

/// The columns of a level that are needed here.
struct Level {
  std::vector<std::string> ids;
  std::vector<SampleType> types;
  std::vector<Value> times = {};  ///< empty: there is no such column

  Level(const Tortilla& samples, int level, const std::string& time)
      : ids(samples.ids(level)), types(samples.types(level)) {
    if (has(samples, level, time)) times = samples.column(time, level);
  }
  static bool has(const Tortilla& samples, int level, const std::string& name) {
    const auto fields = samples.fields(level);
    return std::any_of(fields.begin(), fields.end(), [&](const auto& field) { return field.name == name; });
  }
  bool is_meant(std::size_t row) const {
    return types[row] == SampleType::File && !is_padding_id(ids[row]) && (times.empty() || !times[row].is_null());
  }
  bool is_any_meant() const {
    for (std::size_t row = 0; row < ids.size(); ++row) {
      if (is_meant(row)) return true;
    }
    return false;
  }
};

/// Columns of null.
std::vector<MetadataColumn> columns_of(const Family& family, const std::vector<std::string>& names, std::size_t rows) {
  std::vector<MetadataColumn> out;
  for (const auto& field : family.schema) {
    const bool is_asked = std::find(names.begin(), names.end(), field.name) != names.end();
    if (is_asked) out.push_back({field.name, std::vector<Value>(rows), field.type, field.description});
  }
  return out;
}

using ValuesOf = std::function<std::vector<Value>(const Sample&)>;

/// Several threads read samples at the same time.
std::vector<MetadataColumn> places_of(const Tortilla& samples, int number, const Level& level, const Family& family,
                                      int jobs, const ValuesOf& values_of) {
  const std::size_t num_rows = level.ids.size();
  OrderedWork<std::vector<Value>> work(std::vector<uint64_t>(num_rows, 1), 1024, num_threads(jobs),
                                       [&](std::size_t row) -> std::vector<Value> {
                                         if (!level.is_meant(row)) return std::vector<Value>(family.names.size());
                                         return values_of(samples.sample(static_cast<int64_t>(row), number));
                                       });
  auto out = columns_of(family, family.names, num_rows);
  for (std::size_t row = 0; row < num_rows; ++row) {
    auto values = std::move(*work.next());
    for (std::size_t i = 0; i < out.size(); ++i) out[i].values[row] = std::move(values[i]);
  }
  return out;
}

/// Rasters state no time, so one has to be given. Throws SchemaError.
void require_time(const Tortilla& samples, const Family& family, const FromRasters& from) {
  if (from.time_start) return;
  for (int number = 0; number <= samples.depth(); ++number) {
    if (Level::has(samples, number, family.time)) return;
  }
  throw SchemaError("no level has a column " + family.time +
                    ", the time of acquisition: add it, or give one time for all samples");
}

Tortilla state_places(Tortilla samples, const Family& family, const FromRasters& from) {
  require_time(samples, family, from);
  for (int number = 0; number <= samples.depth(); ++number) {
    const Level level(samples, number, family.time);
    const bool is_stated = std::any_of(family.names.begin(), family.names.end(),
                                       [&](const auto& name) { return Level::has(samples, number, name); });
    if (is_stated || (level.times.empty() && !from.time_start) || !level.is_any_meant()) continue;
    auto columns = places_of(samples, number, level, family, from.jobs, [&](const Sample& sample) {
      try {
        return family.values(*open_raster(sample, from.with.fallback), from.with);
      } catch (const SchemaError& error) {
        throw SchemaError("[" + sample.id() + "] " + error.message(), error.context());
      } catch (const FormatError& error) {
        throw FormatError("[" + sample.id() + "] " + error.message(), error.context());
      }
    });
    if (level.times.empty()) {
      auto time = columns_of(family, {family.time}, level.ids.size());
      for (std::size_t row = 0; row < level.ids.size(); ++row) {
        if (level.is_meant(row)) time[0].values[row] = *from.time_start;
      }
      columns.push_back(std::move(time[0]));
    }
    samples = samples.extend_with(columns, number);
  }
  return samples;
}

bool is_place(const std::string& name) {
  return name == "stac:centroid" || name == "stac:geotransform" || name == "istac:geometry" || name == "istac:centroid";
}

bool has_place(const Tortilla& samples) {
  for (int number = 0; number <= samples.depth(); ++number) {
    const auto fields = samples.fields(number);
    if (std::any_of(fields.begin(), fields.end(), [](const auto& field) { return is_place(field.name); })) return true;
  }
  return false;
}

/// True for a local file or bytes in memory.
bool is_local(const Sample& sample) {
  const std::string& path = sample.path();
  return path.find("://") == path.npos && (!path.starts_with("/vsi") || path.starts_with("/vsisubfile/"));
}

}  // namespace

StacOptions to_stac(const Raster& raster, const RasterPlaces& with) {
  const Grid grid = grid_of(raster, with);
  return {.crs = grid.crs,
          .tensor_shape = {raster.info().bands, grid.rows, grid.columns},
          .geotransform = grid.geotransform,
          .transformer = with.transformer};
}

IstacOptions to_istac(const Raster& raster, const RasterPlaces& with) {
  const Grid grid = grid_of(raster, with);
  return {.crs = "EPSG:4326",
          .geometry = {grid_footprint(grid, with.transformer)},
          .centroid = *STAC(to_stac(raster, with)).values()[4].get<Binary>(),
          .transformer = with.transformer};
}

Tortilla with_stac(const Tortilla& samples, const FromRasters& from) {
  static const Family family{
      {"stac:crs", "stac:tensor_shape", "stac:geotransform"}, "stac:time_start", schema_of("stac"), stac_values};
  return with_stac(state_places(samples, family, from), from.with.transformer);
}

Tortilla with_raster_places(const Tortilla& samples, const RasterPlaces& with, int jobs) {
  static const Family family{
      {"stac:crs", "stac:tensor_shape", "stac:geotransform", "stac:centroid"}, "", schema_of("stac"), nullptr};
  if (has_place(samples)) return samples;
  Tortilla out = samples;
  for (int number = 0; number <= samples.depth(); ++number) {
    const Level level(samples, number, family.time);
    const auto fields = samples.fields(number);
    const bool is_stated = std::any_of(fields.begin(), fields.end(), [](const auto& field) {
      return std::find(family.names.begin(), family.names.end(), field.name) != family.names.end();
    });
    if (is_stated || !level.is_any_meant()) continue;
    auto columns = places_of(samples, number, level, family, jobs, [&](const Sample& sample) {
      std::vector<Value> none(family.names.size());
      if (!is_local(sample)) return none;
      try {
        const auto values = STAC(to_stac(*open_raster(sample), with)).values();
        return std::vector<Value>{values[0], values[1], values[2], values[4]};
      } catch (const IoError& error) {
        if (!error.not_found()) throw;
        return none;            // Missing files are reported together, when the dataset is written.
      } catch (const Error&) {  // no TIFF, no CRS or geotransform, or a CRS that is not known
        return none;
      }
    });
    const auto& systems = columns[0].values;
    const bool is_any = std::any_of(systems.begin(), systems.end(), [](const Value& crs) { return !crs.is_null(); });
    if (is_any) out = out.extend_with(columns, number);
  }
  return out;
}

Tortilla with_istac(const Tortilla& samples, const FromRasters& from) {
  static const Family family{
      {"istac:crs", "istac:geometry", "istac:centroid"}, "istac:time_start", schema_of("istac"), istac_values};
  return with_istac(state_places(samples, family, from), from.with.transformer);
}

}  // namespace tacore::extensions
