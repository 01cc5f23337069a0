#pragma once

#include <string>
#include <string_view>

#include "tacore/visibility.hpp"

namespace tacore {

/// Text that names paths, as messages and logs show it: `***` instead of the user and the password of a URL, and of the
/// values of parameters that give access, such as `sig` and `X-Amz-Signature`. What Error says is such text already.
TACORE_EXPORT std::string redact(std::string_view text);

}  // namespace tacore
