#pragma once

#include <string>

namespace tacore {

/// The warnings of the library since the last call, each a line.
std::string take_warnings();

}  // namespace tacore
