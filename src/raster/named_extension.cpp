#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

#include "base/number_text.hpp"
#include "base/text.hpp"
#include "tacore/error.hpp"
#include "tacore/extensions/constant.hpp"
#include "tacore/extensions/geotiff_stats.hpp"
#include "tacore/extensions/majortom.hpp"
#include "tacore/extensions/named.hpp"
#include "tacore/extensions/sha256.hpp"
#include "tacore/extensions/spatial_grouping.hpp"
#include "tacore/extensions/tiff_index.hpp"
#include "tacore/ops/inspect.hpp"
#include "tacore/raster/stac.hpp"
#include "tacore/write/byte_size.hpp"

namespace tacore::extensions {
namespace {

using Given = std::optional<std::string>;  ///< a value
using Columns = std::shared_ptr<const AddedColumns>;

/// Columns that a function of samples adds.
template <class Add>
class Added : public AddedColumns {
 public:
  explicit Added(Add add) : add_(std::move(add)) {}
  Tortilla add_to(const Tortilla& samples) const override { return add_(samples); }

 private:
  Add add_;
};

template <class Add>
Columns added(Add add) {
  return std::make_shared<Added<Add>>(std::move(add));
}

[[noreturn]] void refuse(const std::string& why) { throw ValidationError(why); }

/// Several parameters; those that are missing are null.
std::vector<Value> parameters_of(const Given& value, const std::vector<FieldDescription>& parameters) {
  try {
    return parse_values(value.value_or("{}"), parameters);
  } catch (const SchemaError& error) {
    refuse(error.what());
  }
}

Columns parse_majortom(const Given& value) {
  MajorTomOptions options;
  if (value) {
    options.dist_km = parse_number(*value).value_or(0);
    if (!(options.dist_km > 0)) refuse("expected a distance in km, such as 50");
  }
  return added([options](const Tortilla& samples) { return samples.extend_with(MajorTOM(options)); });
}

/// A plain number counts samples, one with a unit bytes.
Columns parse_groups(const Given& value) {
  SpatialGroupingOptions options;
  const std::string text = value.value_or("");
  int64_t count = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, count);
  if (error == std::errc() && stop == end && count > 0) {
    options.target_count = count;
  } else {
    try {
      parse_size(text);
    } catch (const ValidationError&) {
      refuse("expected the samples or bytes of a group, such as 1000 or 4GB");
    }
    options.target_size = text;
  }
  return added([options](const Tortilla& samples) { return samples.extend_with(SpatialGrouping(options)); });
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
Columns parse_places(const std::string& name, const Given& value, const NamedOptions& options) {
  std::optional<Timestamp> time;
  try {
    if (value && value->find('/') == value->npos) time = TimeRange::parse(*value).start;
  } catch (const QueryError&) {
    time.reset();
  }
  if (value && !time) refuse("expected a time, such as 2024-01-31T10:00:00Z, 2024-01-31, 2024-01 or 2024");
  const FromRasters from{.with = {.transformer = options.transformer, .fallback = options.fallback},
                         .time_start = time,
                         .jobs = options.jobs};
  return added([name, from](const Tortilla& samples) {
    if (!from.time_start && !has_column(samples, name + ":time_start")) {
      throw SchemaError("no acquisition time: give one for all samples, such as --extensions " + name +
                        "=2020-06-01, or name the column of times of a table with --time-column");
    }
    return name == "stac" ? with_stac(samples, from) : with_istac(samples, from);
  });
}

Columns parse_statistics(const Given& value, const NamedOptions& with) {
  const auto values =
      parameters_of(value, {{"class_values", "list<item: int64>"}, {"histograms", "bool"}, {"approx", "bool"}});
  const auto is_set = [](const Value& each) { return each.get<bool>() && *each.get<bool>(); };
  GeotiffStatsOptions options{.approx = is_set(values[2]), .histograms = is_set(values[1]), .fallback = with.fallback};
  if (const auto* classes = values[0].get<Value::List>()) {
    options.categorical = true;
    for (const Value& each : *classes) {
      if (!each.get<int64_t>()) refuse("class_values has a null, expected whole numbers");
      options.class_values.push_back(*each.get<int64_t>());
    }
  }
  try {
    GeotiffStats{options};
  } catch (const SchemaError& error) {
    refuse(error.what());
  }
  return added(
      [options, jobs = with.jobs](const Tortilla& samples) { return with_geotiff_stats(samples, options, jobs); });
}

/// The variables of rai or geo_enrich.
std::vector<std::string> variables_of(const std::string& name) {
  if (name == "geo_enrich") return geo_enrich_variables();
  std::vector<std::string> out;
  for (const auto& field : RAI({}).schema()) out.push_back(field.name.substr(field.name.find(':') + 1));
  return out;
}

/// Computed by sample, since FOLDERs have no Sample of their own.
Tortilla with_rai(const Tortilla& samples, const RAI& extension) {
  std::vector<MetadataColumn> columns;
  for (const auto& field : extension.schema()) columns.push_back({field.name, {}, field.type, field.description});
  const auto ids = samples.ids();
  for (std::size_t row = 0; row < ids.size(); ++row) {
    const Sample place(ids[row], Bytes(), metadata(samples, static_cast<int64_t>(row)));
    auto values = extension.compute(place);
    for (std::size_t i = 0; i < columns.size(); ++i) columns[i].values.push_back(std::move(values[i]));
  }
  return samples.extend_with(columns);
}

Columns parse_layers(const std::string& name, const Given& value, const NamedOptions& options) {
  constexpr const char* kLayer =
      "struct<path: string, source: string, version: string, band: int32, field: string, layer: string>";
  std::vector<FieldDescription> parameters;
  for (const auto& variable : variables_of(name)) parameters.push_back({variable, kLayer});
  if (name == "geo_enrich") parameters.push_back({"scale_m", "double"});
  const auto values = parameters_of(value, parameters);
  std::vector<LayerFile> files;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto* members = values[i].get<Struct>();
    if (!members) continue;
    LayerFile file{.variable = parameters[i].name};
    std::string* const texts[] = {&file.path, &file.source, &file.version, nullptr, &file.field, &file.layer};
    for (std::size_t m = 0; m < members->size(); ++m) {
      if (const auto* text = (*members)[m].second.get<std::string>()) *texts[m] = *text;
      if (const auto* band = (*members)[m].second.get<int64_t>()) file.band = static_cast<int>(*band);
    }
    if (file.path.empty() || file.source.empty() || file.version.empty())
      refuse(file.variable + " lacks a path, source or version, expected all three, which are recorded");
    files.push_back(std::move(file));
  }
  if (files.empty()) refuse("expected a layer for at least one variable, such as elevation");
  if (options.layers == nullptr) refuse("its layers are opened by GDAL, which this program does without");
  const auto* scale = values.back().get<double>();
  return added([files, opener = options.layers, is_rai = name == "rai",
                scale_m = scale ? *scale : 5120](const Tortilla& samples) {
    GeoLayers layers;
    for (const auto& file : files) layers[file.variable] = opener->open(file);
    if (is_rai) return with_rai(samples, RAI(layers));
    return samples.extend_with(GeoEnrich(layers, scale_m));
  });
}

Tortilla tiff_indexed(const Tortilla& samples, int jobs) {
  try {
    return with_tiff_index(samples, {.jobs = jobs});
  } catch (const SchemaError& error) {
    throw SchemaError(error.message() + "; --tog stores GeoTIFFs as TOGs, which have a TIFF index", error.context());
  }
}

/// The same values for all samples of level 0.
Tortilla with_constants(const Tortilla& samples, const std::vector<MetadataField>& fields) {
  const auto types = samples.types();
  if (fields.front().key.starts_with("scaling:") && std::ranges::find(types, SampleType::File) == types.end()) {
    throw SchemaError(
        "scaling: the samples are FOLDERs, and have no pixels; give their FILEs the columns "
        "scaling:scale_factor and scaling:scale_offset in a table");
  }
  std::vector<MetadataColumn> columns;
  for (const auto& field : fields)
    columns.push_back({field.key, std::vector<Value>(types.size(), field.value), field.type, field.description});
  return samples.extend_with(columns);
}

NamedExtension parse_constant(const std::string& name, const Given& value) {
  if (!value) refuse("expected a value");
  try {
    auto fields = parse_columns(name, *value);
    if (extends_collection(name)) return {.keys = std::move(fields)};
    return {.columns = added([fields](const Tortilla& samples) { return with_constants(samples, fields); })};
  } catch (const SchemaError& error) {
    refuse(error.what());
  }
}

constexpr const char* kComputed[] = {"stac",       "istac",    "geotiff_stats",    "stats",
                                     "tiff_index", "majortom", "spatial_grouping", "rai",
                                     "geo_enrich", "sha256"};
constexpr const char* kConstant[] = {"split",        "scaling",        "land_cover",   "change",
                                     "methane",      "flood",          "labels",       "optical_data",
                                     "publications", "split_strategy", "rai_statement"};

}  // namespace

LayerOpener::~LayerOpener() = default;
AddedColumns::~AddedColumns() = default;

std::vector<std::string> named_extensions() {
  std::vector<std::string> out(std::begin(kComputed), std::end(kComputed));
  out.insert(out.end(), std::begin(kConstant), std::end(kConstant));
  return out;
}

bool states_places(const std::string& name) { return name == "stac" || name == "istac"; }

NamedExtension named_extension(const std::string& name, const std::optional<std::string>& value,
                               const NamedOptions& options) {
  if (std::ranges::find(kConstant, name) != std::end(kConstant)) return parse_constant(name, value);
  if (std::ranges::find(kComputed, name) == std::end(kComputed))
    refuse("unknown extension " + in_quotes(name) + "; known are " + join(named_extensions(), ", "));
  if (states_places(name)) return {.columns = parse_places(name, value, options)};
  if (name == "majortom") return {.columns = parse_majortom(value)};
  if (name == "spatial_grouping") return {.columns = parse_groups(value)};
  if (name == "rai" || name == "geo_enrich") return {.columns = parse_layers(name, value, options)};
  if (name == "geotiff_stats") return {.columns = parse_statistics(value, options)};
  if (value) refuse("this extension takes no value");
  const int jobs = options.jobs;
  if (name == "tiff_index")
    return {.columns = added([jobs](const Tortilla& samples) { return tiff_indexed(samples, jobs); })};
  if (name == "sha256")
    return {.columns = added([jobs](const Tortilla& samples) { return with_sha256(samples, jobs); })};
  return {.columns = added([jobs, fallback = options.fallback](const Tortilla& samples) {
            return with_stats(samples, fallback, jobs);
          })};
}

}  // namespace tacore::extensions
