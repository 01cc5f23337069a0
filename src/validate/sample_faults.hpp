#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tacore/dataframe.hpp"

namespace tacore::validator {

/// What the bytes of a sample are that they should not be.
struct SampleFault {
  std::string_view rule;
  std::string message;
};

/// TIF-3 to TIF-5 of the FILE at a position: pixels of a TIFF that tacore decodes are decoded. Throws as open_row().
std::vector<SampleFault> sample_faults(const DataFrame& frame, int64_t position);

}  // namespace tacore::validator
