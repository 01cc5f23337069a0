#pragma once

#include "tacore/visibility.hpp"

namespace tacore {

/// The version of the library at run time, such as "0.1.0".
TACORE_EXPORT const char* version() noexcept;

}  // namespace tacore
