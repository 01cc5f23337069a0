#pragma once

#include <span>

namespace tacore::extensions {

/// A band of the table; its index is its position.
struct BandRow {
  const char* name;
  const char* common_name;
  const char* description;
  double center_wavelength;    ///< nm
  double full_width_half_max;  ///< nm
};

struct SensorRow {
  const char* name;
  std::span<const BandRow> bands;
};

/// 14 sensors with 138 bands, as published datasets have them, oddities included (the centres of eo1ali B03 and B04).
std::span<const SensorRow> optical_sensor_table() noexcept;

}  // namespace tacore::extensions
