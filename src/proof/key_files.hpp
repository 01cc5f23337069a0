#pragma once

#include <optional>
#include <string>

#include "io/byte_source.hpp"
#include "proof/minisign.hpp"

namespace tacore {

/// The text of a small file. Throws FormatError for a large one, IoError.
std::string read_small_file(const Storage& storage, const std::string& path);

/// Reads the file of a secret key. Throws as minisign::parse_secret_key().
void read_secret_key(const std::string& path, const std::optional<std::string>& password, minisign::SecretKey& key);

/// Reads a public key: `given` is its line of base64, or the path of a file. Throws FormatError, IoError.
minisign::PublicKey read_public_key(const std::string& given);

}  // namespace tacore
