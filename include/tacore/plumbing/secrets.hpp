#pragma once

#include <string>
#include <string_view>

#include "tacore/visibility.hpp"

namespace tacore {

/// Replaces secrets in a text by `***`: the user and password of a URL, and the values of URL parameters that grant
/// access, such as `sig` and `X-Amz-Signature`. The messages of Error are redacted already.
TACORE_EXPORT std::string redact(std::string_view text);

}  // namespace tacore
