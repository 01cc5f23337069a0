#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <tacore/dataset.hpp>

namespace tacore::cli {

/// A dataset on one screen.
std::string info_text(const Dataset& dataset);

/// Lines behind a label, of which the first has it.
std::string labelled(std::string_view label, const std::vector<std::string>& lines);
/// Items behind a label, with commas, in lines that fit the terminal; nothing without items.
std::string listed(std::string_view label, const std::vector<std::string>& items);

}  // namespace tacore::cli
