#include "extensions.hpp"

#include <charconv>
#include <functional>
#include <optional>

#include <tacore/error.hpp>
#include <tacore/extensions/geotiff_stats.hpp>
#include <tacore/extensions/majortom.hpp>
#include <tacore/extensions/spatial_grouping.hpp>
#include <tacore/extensions/stac.hpp>
#include <tacore/extensions/tiff_index.hpp>
#include <tacore/raster/stac.hpp>
#include <tacore/write/byte_size.hpp>

#include "commands.hpp"
#include "loaded_library.hpp"

namespace tacore::cli {

namespace {

using Extend = std::function<Tortilla(const Tortilla&)>;

[[noreturn]] void refuse(const std::string& name, const std::string& expected) {
  throw UsageError("--extensions " + name + ": expected " + expected);
}

Extend with_majortom(const std::string& name, const std::string& parameter) {
  extensions::MajorTomOptions options;
  if (!parameter.empty()) {
    const char* end = parameter.data() + parameter.size();
    const auto [stop, error] = std::from_chars(parameter.data(), end, options.dist_km);
    if (error != std::errc() || stop != end || !(options.dist_km > 0)) refuse(name, "a distance in km, such as 50");
  }
  return [options](const Tortilla& samples) { return samples.extend_with(extensions::MajorTOM(options)); };
}

/// A plain number counts samples, one with a unit bytes.
Extend with_groups(const std::string& name, const std::string& parameter) {
  extensions::SpatialGroupingOptions options;
  int64_t count = 0;
  const char* end = parameter.data() + parameter.size();
  const auto [stop, error] = std::from_chars(parameter.data(), end, count);
  if (error == std::errc() && stop == end && count > 0) {
    options.target_count = count;
  } else {
    try {
      parse_size(parameter);
    } catch (const ValidationError&) {
      refuse(name, "the samples or bytes of a group, such as 1000 or 4GB");
    }
    options.target_size = parameter;
  }
  return [options](const Tortilla& samples) { return samples.extend_with(extensions::SpatialGrouping(options)); };
}

bool has_column(const Tortilla& samples, const std::string& name) {
  for (int level = 0; level <= samples.depth(); ++level) {
    for (const auto& field : samples.fields(level)) {
      if (field.name == name) return true;
    }
  }
  return false;
}

/// A time is that of rasters of which no column says one.
Extend with_places(const std::string& name, const std::string& key, const std::string& parameter) {
  std::optional<Timestamp> time;
  try {
    if (name != key) time = Timestamp::parse(parameter);
  } catch (const QueryError&) {
    refuse(name, "a time, such as 2024-01-31T10:00:00Z");
  }
  return [key, time](const Tortilla& samples) {
    const extensions::FromRasters from{.with = {.transformer = transformer(), .fallback = raster_opener()},
                                       .time_start = time};
    const std::string column = key + ":time_start";
    if (!time && !has_column(samples, column)) {
      throw SchemaError("no acquisition time: give one for all samples, such as --extensions " + key +
                        "=2020-06-01, or name the column of times of a table with --time-column");
    }
    return key == "stac" ? extensions::with_stac(samples, from) : extensions::with_istac(samples, from);
  };
}

Extend parse(const std::string& name) {
  const auto equals = name.find('=');
  const std::string key = name.substr(0, equals), parameter = equals == name.npos ? "" : name.substr(equals + 1);
  if (key == "majortom") return with_majortom(name, parameter);
  if (key == "spatialgrouping") return with_groups(name, parameter);
  if (key == "stac" || key == "istac") return with_places(name, key, parameter);
  if (name == "header") return [](const Tortilla& s) { return extensions::with_tiff_index(s); };
  if (name == "geotiff_stats") {
    return [](const Tortilla& s) { return extensions::with_geotiff_stats(s, {.fallback = raster_opener()}); };
  }
  if (name == "stats") return [](const Tortilla& s) { return extensions::with_stats(s, raster_opener()); };
  refuse(name, "stac, istac, geotiff_stats, stats, header, majortom or spatialgrouping");
}

}  // namespace

void check_extensions(const std::vector<std::string>& names) {
  for (const auto& name : names) parse(name);
}

Tortilla extend(Tortilla samples, const std::vector<std::string>& names) {
  for (const auto& name : names) samples = parse(name)(samples);
  return samples;
}

}  // namespace tacore::cli
