#pragma once

#include "describe/facts.hpp"
#include "describe/json.hpp"

namespace tacore::descriptions {

Json croissant(const Facts& facts);

}  // namespace tacore::descriptions
