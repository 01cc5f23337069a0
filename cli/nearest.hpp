#pragma once

#include <span>
#include <string>

namespace tacore::cli {

/// The candidate with the smallest edit distance to `text`, if that is at most 2; else "". An inserted, deleted or
/// replaced character is one edit, two swapped neighbours are one edit.
std::string nearest(const std::string& text, std::span<const std::string> candidates);

/// "; did you mean 'info'?" of the nearest candidate, or nothing.
std::string did_you_mean(const std::string& text, std::span<const std::string> candidates);

}  // namespace tacore::cli
