#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/sha256.hpp"
#include "container/container.hpp"
#include "tacore/collection.hpp"

/// The root of a dataset in COLLECTION.json, and the text that is signed.
namespace tacore {

/// The member of COLLECTION.json with the root, in 64 hexadecimal digits.
inline constexpr std::string_view kRootMember = "taco:merkle_root";

/// A COLLECTION.json that states a root.
struct RootedCollection {
  Sha256 root = {};
  /// The same text with 64 zeros in place of the digits: what the root covers, since it cannot cover itself.
  std::string text = {};
};

/// nullopt where the text states no root. Throws FormatError, which names `path`, where it has the member twice, or
/// anything else than 64 lower-case hexadecimal digits.
std::optional<RootedCollection> find_root(std::string_view json, const std::string& path);

/// What a signature signs: a line of JSON with the id and version of the dataset, and its root.
std::string statement_of(const Collection& collection, const Sha256& root);

/// Throws ValidationError for a container that has no proof of its own, and says what to sign instead.
void check_provable(Format format, const std::string& path);

}  // namespace tacore
