#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tacore/extensions/constant.hpp"

namespace tacore::extensions {

/// A spectral band of an optical sensor; wavelengths are in nm.
struct SpectralBand {
  std::string name = {};
  std::optional<int32_t> index = {};
  std::optional<std::string> common_name = {};
  std::optional<std::string> description = {};
  std::optional<std::string> unit = {};
  std::optional<double> center_wavelength = {};
  std::optional<double> full_width_half_max = {};

  bool operator==(const SpectralBand&) const = default;
};

/// The names of the sensors with built-in band tables: landsat1mss to landsat5mss, landsat4tm, landsat5tm, landsat7etm,
/// landsat8oli, landsat9oli, sentinel2msi, eo1ali, aster, modis.
TACORE_EXPORT std::vector<std::string> optical_sensors();
/// The spectral bands of one of these sensors, in order. Throws SchemaError, with the names above, for another sensor.
TACORE_EXPORT std::vector<SpectralBand> optical_bands(std::string_view sensor);

/// The arguments of OpticalData.
struct OpticalDataOptions {
  /// The name of a sensor, or of some of its bands in any order: `sentinel2msi[B04, B03, B02]`. Spaces are ignored, and
  /// so is the case of a known sensor.
  std::string sensor = {};
  std::vector<SpectralBand> bands = {};  ///< replace those of a known sensor
};

/// The keys `optical:*`: the sensor of a dataset and its spectral bands. A band of a known sensor keeps its index in
/// that sensor. Throws SchemaError for bands without a sensor, and, when no bands are given, for an unknown sensor or
/// band.
///
///     taco.extend_with(OpticalData({.sensor = "sentinel2msi[B04, B03, B02]"}));
struct TACORE_EXPORT OpticalData : TacoColumns {
  explicit OpticalData(const OpticalDataOptions& options);
};

}  // namespace tacore::extensions
