#pragma once

#include <span>
#include <string>

namespace tacore::cli {

/// The candidate that differs from `text` by at most two characters, and least; empty when there is none. A character
/// that is added, left out or replaced counts 1, two neighbours that are swapped count 1.
std::string nearest(const std::string& text, std::span<const std::string> candidates);

/// "; did you mean 'info'?" of the nearest candidate, or nothing.
std::string did_you_mean(const std::string& text, std::span<const std::string> candidates);

}  // namespace tacore::cli
