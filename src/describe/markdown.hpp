#pragma once

#include <string>

#include "describe/facts.hpp"

namespace tacore::descriptions {

/// The text for people, without what only the card has.
std::string markdown(const Facts& facts);

}  // namespace tacore::descriptions
