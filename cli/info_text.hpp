#pragma once

#include <string>

#include <tacore/dataset.hpp>

namespace tacore::cli {

/// A dataset on one screen.
std::string info_text(const Dataset& dataset);

}  // namespace tacore::cli
