#include "extensions.hpp"

#include <algorithm>
#include <charconv>
#include <functional>
#include <optional>

#include <tacore/error.hpp>
#include <tacore/extensions/constant.hpp>
#include <tacore/extensions/geo_layers.hpp>
#include <tacore/extensions/geotiff_stats.hpp>
#include <tacore/extensions/majortom.hpp>
#include <tacore/extensions/spatial_grouping.hpp>
#include <tacore/extensions/stac.hpp>
#include <tacore/extensions/tiff_index.hpp>
#include <tacore/ops/inspect.hpp>
#include <tacore/raster/stac.hpp>
#include <tacore/write/byte_size.hpp>

#include "base/nearest.hpp"
#include "commands.hpp"
#include "layout.hpp"
#include "loaded_library.hpp"
#include "output.hpp"
#include "utf8.hpp"

namespace tacore::cli {

namespace {

/// What the command line says of an extension; its columns are those of the library.
struct Extension {
  const char* name;
  const char* level;  ///< of the columns that it computes; "" for one with constant values
  const char* what;
  const char* parameters;  ///< of one that is computed; those of others are their columns
  const char* example;     ///< of its value, in quotes for a shell where it needs them

  bool is_constant() const { return *level == '\0'; }
};

constexpr Extension kExtensions[] = {
    {"stac", "each with GeoTIFFs or these columns",
     "Place and time of rasters on a grid, from columns of the table or from the GeoTIFFs",
     "TIME: time of all samples if the table has no column stac:time_start", "2024-06-01"},
    {"istac", "each with GeoTIFFs or these columns",
     "Footprint and time of any samples, from columns of the table or from the GeoTIFFs",
     "TIME: time of all samples if the table has no column istac:time_start", "2024-06-01"},
    {"geotiff_stats", "each with GeoTIFFs", "Statistics of each band of the GeoTIFFs, or the share of each class",
     "class_values (list of int64): the classes of categorical rasters; histograms (bool): add geotiff:histogram; "
     "approx (bool): read pixels once only, for approximate percentiles",
     "'[0,1,2]'"},
    {"stats", "each with GeoTIFFs",
     "Mean, minimum, maximum and standard deviation of each band, as TACO 0.2.0 has them", "", ""},
    {"tiff_index", "each with GeoTIFFs", "Places of the tiles of TOGs, so that readers request pixels only; see --tog",
     "", ""},
    {"majortom", "0", "Cell of the Major TOM grid, from the places of samples (stac, istac)",
     "KM: distance of grid points; by default 100", "10"},
    {"spatial_grouping", "0", "Groups of neighbouring samples, from their places (stac, istac)",
     "COUNT: maximal number of samples in a group; SIZE: maximal size of a group, such as 4GB", "1000"},
    {"rai", "0", "Elevation, population, countries, ... below each sample, from layers that you have (needs GDAL)",
     "elevation, cisi, gdp, hdi, gmi, pop, admin0, admin1, admin2: a layer each, {\"path\": FILE, \"source\": TEXT, "
     "\"version\": TEXT} of a raster, also \"band\": N, or of polygons with their names, also \"field\": NAME and "
     "\"layer\": NAME",
     "'{\"elevation\": {\"path\": \"dem.tif\", \"source\": \"Copernicus DEM\", \"version\": \"2021\"}}'"},
    {"geo_enrich", "0", "Elevation, climate, soil, population, ... around the centre of each sample (needs GDAL)",
     "elevation, cisi, precipitation, temperature, soil_clay, soil_sand, soil_carbon, soil_bulk_density, soil_ph, gdp, "
     "human_modification, population, admin_countries, admin_states, admin_districts: a layer each, as of rai; scale_m "
     "(double): side of the square in metres, by default 5120",
     "'{\"elevation\": {\"path\": \"dem.tif\", \"source\": \"Copernicus DEM\", \"version\": \"2021\"}, \"scale_m\": "
     "500}'"},
    {"split", "", "What all samples are for", "", "train"},
    {"scaling", "", "Scale factor and offset of all samples", "",
     "'{\"scale_factor\": 0.0001, \"scale_offset\": -0.1}'"},
    {"land_cover", "", "Fractions of land cover classes", "", "'[0.25,0.75]'"},
    {"change", "", "Times of the two images of each pair", "",
     "'{\"time_before\": \"2023-02-01\", \"time_after\": \"2023-02-11\"}'"},
    {"methane", "", "Methane plumes", "", "'{\"isplume\": true, \"wind_source\": \"ERA5\"}'"},
    {"flood", "", "A flood event", "", "'{\"event_id\": \"EMSR600\", \"source\": \"Copernicus\"}'"},
    {"labels", "", "Classes of the labels of the dataset", "",
     "'[{\"name\": \"water\", \"category\": 1}, {\"name\": \"land\", \"category\": 2}]'"},
    {"optical_data", "", "Sensor of the dataset and its bands; the bands of common sensors are known", "",
     "'sentinel2msi[B04,B03,B02]'"},
    {"publications", "", "Publications that describe the dataset", "",
     "'[{\"doi\": \"10.5281/zenodo.1\", \"citation\": \"Doe (2024): Chips\"}]'"},
    {"split_strategy", "", "How samples were assigned to splits", "", "random"},
    {"rai_statement", "", "Statements on responsible use of the dataset", "",
     "'{\"data_biases\": \"Few samples at sea.\"}'"},
};

constexpr std::pair<const char*, const char*> kOldExtensions[] = {{"header", "tiff_index"},
                                                                  {"spatialgrouping", "spatial_grouping"}};

}  // namespace

std::vector<std::string> known_extensions() {
  std::vector<std::string> out;
  for (const Extension& extension : kExtensions) out.emplace_back(extension.name);
  return out;
}

namespace {

using Extend = std::function<Tortilla(const Tortilla&, int jobs)>;

/// An extension of the command line, whose value is read. One of the members is set.
struct Parsed {
  Extend samples = {};
  std::vector<MetadataField> keys = {};  ///< of COLLECTION.json
};

/// NAME or NAME=VALUE.
struct Given {
  const std::string& text;
  std::string name;
  std::optional<std::string> value = {};

  explicit Given(const std::string& given) : text(given), name(given.substr(0, given.find('='))) {
    if (name.size() < given.size()) value = given.substr(name.size() + 1);
  }
  [[noreturn]] void refuse(const std::string& why) const {
    throw UsageError("--extensions " + printable(text) + ": " + why);
  }
};

/// Several parameters; those that are missing are null.
std::vector<Value> parameters_of(const Given& given, const std::vector<FieldDescription>& parameters) {
  try {
    return extensions::parse_values(given.value.value_or("{}"), parameters);
  } catch (const SchemaError& error) {
    given.refuse(error.what());
  }
}

Extend parse_majortom(const Given& given) {
  extensions::MajorTomOptions options;
  if (given.value) {
    const char* end = given.value->data() + given.value->size();
    const auto [stop, error] = std::from_chars(given.value->data(), end, options.dist_km);
    if (error != std::errc() || stop != end || !(options.dist_km > 0))
      given.refuse("expected a distance in km, such as 50");
  }
  return [options](const Tortilla& samples, int) { return samples.extend_with(extensions::MajorTOM(options)); };
}

/// A plain number counts samples, one with a unit bytes.
Extend parse_groups(const Given& given) {
  extensions::SpatialGroupingOptions options;
  const std::string text = given.value.value_or("");
  int64_t count = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, count);
  if (error == std::errc() && stop == end && count > 0) {
    options.target_count = count;
  } else {
    try {
      parse_size(text);
    } catch (const ValidationError&) {
      given.refuse("expected the samples or bytes of a group, such as 1000 or 4GB");
    }
    options.target_size = text;
  }
  return [options](const Tortilla& samples, int) { return samples.extend_with(extensions::SpatialGrouping(options)); };
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
Extend parse_places(const Given& given) {
  std::optional<Timestamp> time;
  try {
    if (given.value && given.value->find('/') == given.value->npos) time = TimeRange::parse(*given.value).start;
  } catch (const QueryError&) {
    time.reset();
  }
  if (given.value && !time) given.refuse("expected a time, such as 2024-01-31T10:00:00Z, 2024-01-31, 2024-01 or 2024");
  return [key = given.name, time](const Tortilla& samples, int jobs) {
    const extensions::FromRasters from{
        .with = {.transformer = transformer(), .fallback = raster_opener()}, .time_start = time, .jobs = jobs};
    const std::string column = key + ":time_start";
    if (!time && !has_column(samples, column)) {
      throw SchemaError("no acquisition time: give one for all samples, such as --extensions " + key +
                        "=2020-06-01, or name the column of times of a table with --time-column");
    }
    return key == "stac" ? extensions::with_stac(samples, from) : extensions::with_istac(samples, from);
  };
}

Extend parse_statistics(const Given& given) {
  const auto values =
      parameters_of(given, {{"class_values", "list<item: int64>"}, {"histograms", "bool"}, {"approx", "bool"}});
  const auto is_set = [](const Value& value) { return value.get<bool>() && *value.get<bool>(); };
  extensions::GeotiffStatsOptions options{
      .approx = is_set(values[2]), .histograms = is_set(values[1]), .fallback = raster_opener()};
  if (const auto* classes = values[0].get<Value::List>()) {
    options.categorical = true;
    for (const Value& each : *classes) {
      if (!each.get<int64_t>()) given.refuse("class_values has a null, expected whole numbers");
      options.class_values.push_back(*each.get<int64_t>());
    }
  }
  try {
    extensions::GeotiffStats{options};
  } catch (const SchemaError& error) {
    given.refuse(error.what());
  }
  return
      [options](const Tortilla& samples, int jobs) { return extensions::with_geotiff_stats(samples, options, jobs); };
}

/// The variables of rai or geo_enrich.
std::vector<std::string> variables_of(const std::string& name) {
  if (name == "geo_enrich") return extensions::geo_enrich_variables();
  std::vector<std::string> out;
  for (const auto& field : extensions::RAI({}).schema()) out.push_back(field.name.substr(field.name.find(':') + 1));
  return out;
}

/// A file from which a variable is taken: polygons with names where it has a field.
struct LayerFile {
  std::string variable = {}, path = {}, layer = {}, field = {}, source = {}, version = {};
  int band = 1;

  std::shared_ptr<const extensions::GeoLayer> open() const {
    if (field.empty()) return raster_mean({.path = path, .band = band, .source = source, .version = version});
    return polygon_names({.path = path, .layer = layer, .field = field, .source = source, .version = version});
  }
};

/// Computed by sample, since FOLDERs have no Sample of their own.
Tortilla with_rai(const Tortilla& samples, const extensions::RAI& extension) {
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

Extend parse_layers(const Given& given) {
  constexpr const char* kLayer =
      "struct<path: string, source: string, version: string, band: int32, field: string, layer: string>";
  std::vector<FieldDescription> parameters;
  for (const auto& name : variables_of(given.name)) parameters.push_back({name, kLayer});
  if (given.name == "geo_enrich") parameters.push_back({"scale_m", "double"});
  const auto values = parameters_of(given, parameters);
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
      given.refuse(file.variable + " lacks a path, source or version, expected all three, which are recorded");
    files.push_back(std::move(file));
  }
  if (files.empty()) given.refuse("expected a layer for at least one variable, such as elevation");
  const auto* scale = values.back().get<double>();
  return [files, is_rai = given.name == "rai", scale_m = scale ? *scale : 5120](const Tortilla& samples, int) {
    extensions::GeoLayers layers;
    for (const auto& file : files) layers[file.variable] = file.open();
    if (is_rai) return with_rai(samples, extensions::RAI(layers));
    return samples.extend_with(extensions::GeoEnrich(layers, scale_m));
  };
}

Tortilla with_tiff_index(const Tortilla& samples, int jobs) {
  try {
    return extensions::with_tiff_index(samples, {.jobs = jobs});
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

std::string example_of(const Extension& extension) {
  return std::string(extension.name) + (*extension.example ? "=" : "") + extension.example;
}

Parsed parse_constant(const Given& given, const Extension& extension) {
  const std::string hint = "; example: --extensions " + example_of(extension);
  if (!given.value) given.refuse("expected a value" + hint);
  try {
    auto fields = extensions::parse_columns(given.name, *given.value);
    if (extensions::extends_collection(given.name)) return {.keys = std::move(fields)};
    return {.samples = [fields](const Tortilla& samples, int) { return with_constants(samples, fields); }};
  } catch (const SchemaError& error) {
    given.refuse(error.what() + hint);
  }
}

const Extension& known(const Given& given) {
  for (const auto& [old_name, name] : kOldExtensions) {
    if (given.name == old_name)
      throw UsageError(std::string("--extensions ") + old_name + " is called " + name + " now");
  }
  const auto found = std::ranges::find(kExtensions, given.name, &Extension::name);
  if (found != std::end(kExtensions)) return *found;
  const auto names = known_extensions();
  std::string all;
  for (const auto& name : names) all += (all.empty() ? "" : ", ") + name;
  const std::string hint = did_you_mean(given.name, names);
  throw UsageError("unknown extension " + in_quotes(given.name) +
                   (hint.empty() ? "; known are " : hint + " Known are ") + all + "; taco extensions describes them");
}

Parsed parse(const std::string& text) {
  Given given(text);
  const Extension& extension = known(given);
  if (given.value && given.value->starts_with('@')) given.value = read_text(given.value->substr(1));
  if (extension.is_constant()) return parse_constant(given, extension);
  if (given.name == "majortom") return {.samples = parse_majortom(given)};
  if (given.name == "spatial_grouping") return {.samples = parse_groups(given)};
  if (given.name == "stac" || given.name == "istac") return {.samples = parse_places(given)};
  if (given.name == "rai" || given.name == "geo_enrich") return {.samples = parse_layers(given)};
  if (given.name == "geotiff_stats") return {.samples = parse_statistics(given)};
  if (given.value) given.refuse("this extension takes no value");
  if (given.name == "tiff_index") return {.samples = with_tiff_index};
  return {.samples = [](const Tortilla& samples, int jobs) {
    return extensions::with_stats(samples, raster_opener(), jobs);
  }};
}

// --- taco extensions ---

std::vector<FieldDescription> columns_of(const Extension& extension) {
  const std::string name = extension.name;
  if (name == "geotiff_stats") return extensions::GeotiffStats({.histograms = true}).schema();
  if (name == "stats") return extensions::Stats().schema();
  if (name == "rai") return extensions::RAI({}).schema();
  if (name == "tiff_index") return extensions::TiffIndex().schema();
  std::vector<FieldDescription> out;
  if (name == "geo_enrich") {
    for (const auto& variable : variables_of(name))
      out.push_back({"geoenrich:" + variable, variable.starts_with("admin_") ? "string" : "float"});
    return out;
  }
  for (const auto& column : extensions::extension_columns(name)) out.push_back(column.field);
  return out;
}

bool is_of_collection(const Extension& extension) {
  return extension.is_constant() && extensions::extends_collection(extension.name);
}

/// "split (string): one of train, test, validation".
std::string parameters_text(const Extension& extension) {
  if (!extension.is_constant()) return extension.parameters;
  const auto columns = extensions::extension_columns(extension.name);
  std::string out;
  for (const auto& parameter : extensions::extension_parameters(extension.name)) {
    const auto column = std::ranges::find_if(columns, [&](const auto& each) {
      const std::string& name = each.field.name;
      return name.substr(name.rfind(':') + 1) == parameter.name;
    });
    out += (out.empty() ? "" : "; ") + parameter.name + " (" + parameter.type + ")" +
           (column->allowed.empty() ? "" : ": " + column->allowed);
  }
  return out;
}

std::string described(const Extension& extension) {
  std::string out = std::string(extension.name) + "\n";
  const auto add = [&](std::string label, const std::string& text) {
    if (text.empty()) return;
    label.resize(12, ' ');
    for (const auto& line : fill(words(text), terminal_width() - 14)) {
      out += "  " + label + line + "\n";
      label.assign(12, ' ');
    }
  };
  std::string columns;
  for (const auto& column : columns_of(extension))
    columns += (columns.empty() ? "" : ", ") + column.name + " (" + column.type + ")";
  add("what", extension.what);
  add("level", is_of_collection(extension) ? "COLLECTION.json"
               : extension.is_constant()   ? "0; all samples get the same values"
                                           : extension.level);
  add(is_of_collection(extension) ? "keys" : "columns", columns);
  add("parameters", parameters_text(extension));
  // An example is copied, and stays on one line.
  return out + "  example     --extensions " + example_of(extension) + "\n";
}

}  // namespace

std::vector<std::string> separate_extensions(const std::vector<std::string>& options) {
  std::vector<std::string> out;
  for (const auto& option : options) {
    int depth = 0;
    bool is_quoted = false;
    std::string item;
    for (std::size_t i = 0; i < option.size(); ++i) {
      const char c = option[i];
      if (is_quoted && c == '\\') {
        item += option.substr(i++, 2);
        continue;
      }
      if (depth > 0 && c == '"') is_quoted = !is_quoted;
      if (!is_quoted) depth += (c == '{' || c == '[') ? 1 : (c == '}' || c == ']') ? -1 : 0;
      if (c == ',' && depth == 0) out.push_back(std::exchange(item, ""));
      else item += c;
    }
    out.push_back(item);
  }
  return out;
}

void check_extensions(const std::vector<std::string>& extensions, const std::string& output) {
  for (const auto& text : extensions) {
    if (!parse(text).samples && ends_with(output, ".tortilla"))
      Given(text).refuse("a .tortilla has no collection, which this extension describes");
  }
}

bool state_places(const std::vector<std::string>& extensions) {
  return std::ranges::any_of(extensions, [](const std::string& text) {
    const std::string name = Given(text).name;
    return name == "stac" || name == "istac";
  });
}

Tortilla extend(Tortilla samples, const std::vector<std::string>& extensions, int jobs) {
  for (const auto& text : extensions) {
    if (const Parsed parsed = parse(text); parsed.samples) samples = parsed.samples(samples, jobs);
  }
  return samples;
}

void extend_collection(Taco& taco, const std::vector<std::string>& extensions) {
  for (const auto& text : extensions) {
    const Parsed parsed = parse(text);
    if (!parsed.keys.empty()) taco.extend_with(extensions::TacoColumns(parsed.keys));
  }
}

int run_extensions(const ExtensionsOptions& options) {
  if (!options.name.empty()) {
    print(described(known(Given(options.name))));
    return 0;
  }
  std::string out;
  for (const Extension& extension : kExtensions) out += (out.empty() ? "" : "\n") + described(extension);
  print(out);
  return 0;
}

}  // namespace tacore::cli
