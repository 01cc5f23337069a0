#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tacore/dataframe.hpp"

namespace tacore::validator {

/// A fault of the bytes of a sample.
struct SampleFault {
  std::string_view rule;
  std::string message;
};

/// TIF-3 to TIF-5 for the FILE at a position; TIFFs that tacore supports are decoded completely. Throws as open_row().
std::vector<SampleFault> sample_faults(const DataFrame& frame, int64_t position);

}  // namespace tacore::validator
