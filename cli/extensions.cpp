#include "extensions.hpp"

#include <algorithm>
#include <memory>
#include <optional>

#include <tacore/error.hpp>
#include <tacore/extensions/constant.hpp>
#include <tacore/extensions/geo_layers.hpp>
#include <tacore/extensions/geotiff_stats.hpp>
#include <tacore/extensions/named.hpp>
#include <tacore/extensions/tiff_index.hpp>

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
    {"sha256", "each", "SHA-256 of the data of each sample, by which taco verify finds damage", "", ""},
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

/// Layers of rai and geo_enrich through GDAL.
class GdalLayers : public extensions::LayerOpener {
 public:
  std::shared_ptr<const extensions::GeoLayer> open(const extensions::LayerFile& file) const override {
    if (file.field.empty())
      return raster_mean({.path = file.path, .band = file.band, .source = file.source, .version = file.version});
    return polygon_names(
        {.path = file.path, .layer = file.layer, .field = file.field, .source = file.source, .version = file.version});
  }
};

std::string example_of(const Extension& extension) {
  return std::string(extension.name) + (*extension.example ? "=" : "") + extension.example;
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

extensions::NamedExtension parse(const std::string& text, int jobs = 0) {
  Given given(text);
  const Extension& extension = known(given);
  if (given.value && given.value->starts_with('@')) given.value = read_text(given.value->substr(1));
  static const GdalLayers layers;
  const extensions::NamedOptions options{
      .transformer = transformer(), .fallback = raster_opener(), .layers = &layers, .jobs = jobs};
  try {
    return extensions::named_extension(given.name, given.value, options);
  } catch (const ValidationError& error) {
    const std::string hint = "; example: --extensions " + example_of(extension);
    given.refuse(error.what() + (extension.is_constant() ? hint : ""));
  }
}

// --- taco extensions ---

std::vector<FieldDescription> columns_of(const Extension& extension) {
  const std::string name = extension.name;
  if (name == "geotiff_stats") return extensions::GeotiffStats({.histograms = true}).schema();
  if (name == "stats") return extensions::Stats().schema();
  if (name == "rai") return extensions::RAI({}).schema();
  if (name == "tiff_index") return extensions::TiffIndex().schema();
  if (name == "sha256")
    return {{"taco:sha256", "binary", "SHA-256 of the data; of a FOLDER, of those of its children"}};
  std::vector<FieldDescription> out;
  if (name == "geo_enrich") {
    for (const auto& variable : extensions::geo_enrich_variables())
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
    if (!parse(text).columns && ends_with(output, ".tortilla"))
      Given(text).refuse("a .tortilla has no collection, which this extension describes");
  }
}

bool state_places(const std::vector<std::string>& extensions) {
  return std::ranges::any_of(extensions,
                             [](const std::string& text) { return extensions::states_places(Given(text).name); });
}

Tortilla extend(Tortilla samples, const std::vector<std::string>& extensions, int jobs) {
  for (const auto& text : extensions) {
    if (const auto parsed = parse(text, jobs); parsed.columns) samples = parsed.columns->add_to(samples);
  }
  return samples;
}

void extend_collection(Taco& taco, const std::vector<std::string>& extensions) {
  for (const auto& text : extensions) {
    const auto parsed = parse(text);
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
