#pragma once

#include <string_view>

#include "tacore/verbose.hpp"

/// Messages of the library. Build an expensive one only where `log_level()` lets it through.
namespace tacore::log {

void debug(std::string_view message);
void info(std::string_view message);
void warning(std::string_view message);

}  // namespace tacore::log
