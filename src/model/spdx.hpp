#pragma once

#include <string_view>

namespace tacore {

/// True when `id` is a licence identifier of the SPDX list (version in spdx.cpp), deprecated ones
/// included, compared as SPDX does, ignoring case. Expressions and LicenseRef-... are not known.
bool is_spdx_licence(std::string_view id) noexcept;

}  // namespace tacore
