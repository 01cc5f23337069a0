#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assets/facts.hpp"

namespace tacore::assets {

/// Facts as bytes, for another process of the same version. Each kind is written once.
std::string encode_facts(std::span<const AssetFacts> facts);
/// The inverse. Throws FormatError.
std::vector<AssetFacts> decode_facts(std::string_view bytes, AssetKinds& kinds);

}  // namespace tacore::assets
