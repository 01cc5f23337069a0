#include "tacore/extensions/optical_data.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "extensions/columns.hpp"
#include "tacore/error.hpp"

namespace tacore::extensions {

namespace {

std::string without_blanks(std::string_view text) {
  std::string out(text);
  std::erase_if(out, [](char c) { return c == ' ' || c == '\t'; });
  return out;
}

struct Band {
  const char* sensor;
  const char* name;
  const char* common_name;
  const char* description;
  double center_wavelength;    ///< nm
  double full_width_half_max;  ///< nm
};

constexpr Band kBands[] = {
#include "extensions/optical_bands.inc"
};

std::vector<SpectralBand> find_bands(const std::string& sensor) {
  std::vector<SpectralBand> out;
  for (const Band& band : kBands) {
    if (band.sensor != sensor) continue;
    out.push_back({.name = band.name,
                   .index = static_cast<int32_t>(out.size()),
                   .common_name = band.common_name,
                   .description = band.description,
                   .center_wavelength = band.center_wavelength,
                   .full_width_half_max = band.full_width_half_max});
  }
  return out;
}

std::vector<SpectralBand> subset(std::string_view sensor, const std::vector<SpectralBand>& all,
                                 const std::vector<std::string>& names) {
  std::vector<SpectralBand> out;
  for (const std::string& name : names) {
    const auto at = std::find_if(all.begin(), all.end(), [&](const SpectralBand& band) { return band.name == name; });
    if (at == all.end()) {
      std::vector<std::string> known;
      for (const SpectralBand& band : all) known.push_back(band.name);
      throw SchemaError("band " + in_quotes(name) + ": " + std::string(sensor) + " has " + join(known, ", "));
    }
    out.push_back(*at);
  }
  return out;
}

}  // namespace

std::vector<std::string> optical_sensors() {
  std::vector<std::string> out;
  for (const Band& band : kBands) {
    if (out.empty() || out.back() != band.sensor) out.emplace_back(band.sensor);
  }
  return out;
}

std::vector<SpectralBand> optical_bands(std::string_view sensor) {
  auto out = find_bands(lower(sensor));
  if (!out.empty()) return out;
  throw SchemaError("Unsupported sensor " + in_quotes(sensor) + " without bands; expected one of " +
                    join(optical_sensors(), ", "));
}

namespace {

std::vector<MetadataField> optical_columns(const OpticalDataOptions& in) {
  if (in.sensor.empty()) {
    throw SchemaError(in.bands.empty() ? "Either bands or sensor must be provided"
                                       : "Sensor must be specified when bands are provided");
  }
  const std::string plain = without_blanks(in.sensor);
  const auto bracket = plain.find('[');
  const std::string name = plain.substr(0, bracket);
  const bool is_known = !find_bands(lower(name)).empty();
  const std::string sensor = is_known ? lower(name) : bracket == std::string::npos ? in.sensor : name;
  std::vector<SpectralBand> bands = in.bands;
  if (bands.empty()) {
    bands = optical_bands(name);
    if (bracket != std::string::npos) {
      if (plain.back() != ']') throw SchemaError("sensor " + in_quotes(in.sensor) + ": expected ] at the end");
      bands = subset(sensor, bands, split(plain.substr(bracket + 1, plain.size() - bracket - 2), ','));
    }
  }
  Value::List rows;
  for (const SpectralBand& band : bands) {
    rows.push_back(Struct{{"name", band.name},
                          {"index", value_of(band.index)},
                          {"common_name", value_of(band.common_name)},
                          {"description", value_of(band.description)},
                          {"unit", value_of(band.unit)},
                          {"center_wavelength", value_of(band.center_wavelength)},
                          {"full_width_half_max", value_of(band.full_width_half_max)}});
  }
  const auto count = static_cast<int64_t>(rows.size());
  return make_columns("optical_data", {sensor, std::move(rows), count});
}

}  // namespace

OpticalData::OpticalData(const OpticalDataOptions& options) : TacoColumns(optical_columns(options)) {}

}  // namespace tacore::extensions
