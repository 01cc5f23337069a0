#include "tacore/version.hpp"

namespace tacore {

const char* version() noexcept { return TACORE_VERSION; }

}  // namespace tacore
