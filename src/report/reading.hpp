#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tacore/ops/doctor.hpp"

namespace tacore::report {

/// What was measured, and what can be improved.
struct Reading {
  std::optional<ReadingSpeed> speed = {};
  std::vector<CardItem> items = {};
};

/// Reads samples of a dataset, at random, and says what would make it faster. Throws IoError.
Reading measure_reading(const Dataset& dataset, const DoctorOptions& options);

}  // namespace tacore::report
