#pragma once

#include <string>

#include "describe/facts.hpp"

namespace tacore::descriptions {

/// The metadata of a deposit of Zenodo, as JSON (.zenodo.json).
std::string zenodo_metadata(const Facts& facts);

/// The people and organizations that Zenodo names as creators: providers, else curators, with a name.
std::vector<Contact> creators_of(const Facts& facts);

}  // namespace tacore::descriptions
