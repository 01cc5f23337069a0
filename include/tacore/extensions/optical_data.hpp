#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tacore/write/extension.hpp"

namespace tacore::extensions {

/// A band of an optical sensor; wavelengths in nm.
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

/// The sensors whose bands are known: landsat1mss to landsat5mss, landsat4tm, landsat5tm, landsat7etm, landsat8oli,
/// landsat9oli, sentinel2msi, eo1ali, aster, modis.
TACORE_EXPORT std::vector<std::string> optical_sensors();
/// The bands of one of them, in order. Throws SchemaError naming the sensors for another.
TACORE_EXPORT std::vector<SpectralBand> optical_bands(std::string_view sensor);

struct OpticalDataOptions {
  /// A sensor, or some of its bands in an order of choice: `sentinel2msi[B04, B03, B02]`. Blanks do not count, and for
  /// a known sensor case does not.
  std::string sensor = {};
  std::vector<SpectralBand> bands = {};  ///< instead of those of a known sensor
};

/// The sensor of a dataset and its bands. Bands of a known sensor keep the index they have there. Throws SchemaError
/// for bands without a sensor, and without bands for an unknown sensor or band.
class TACORE_EXPORT OpticalData : public TacoExtension {
 public:
  explicit OpticalData(const OpticalDataOptions& options);
  std::vector<FieldDescription> schema() const override;
  std::vector<Value> compute(const Taco& taco) const override;
  /// What compute() gives, which depends on no dataset.
  std::vector<Value> values() const;

 private:
  std::string sensor_;
  std::vector<SpectralBand> bands_;
};

}  // namespace tacore::extensions
