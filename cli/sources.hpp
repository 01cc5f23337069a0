#pragma once

#include "commands.hpp"

namespace tacore::cli {

/// `taco info --sources`: the partitions that an index names, a line each. Those without an extent might hold anything,
/// so they are kept.
int list_sources(const InfoOptions& options);

}  // namespace tacore::cli
