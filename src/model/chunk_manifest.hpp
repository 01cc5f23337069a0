#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/sha256.hpp"

namespace tacore {

/// A piece of a file that a chunk store has under its SHA-256.
struct Chunk {
  Sha256 hash = {};
  uint32_t size = 0;
};

struct ChunkedFile {
  std::string name = {};  ///< ids and folders joined by '/'
  uint64_t size = 0;
  std::vector<Chunk> chunks = {};  ///< in the order of the file
};

/// A dataset in a chunk store (docs/format.md).
struct ChunkManifest {
  bool is_zip = false;                    ///< else a FOLDER
  std::string name = {};                  ///< in the store; early manifests have no name, id and samples
  std::string id = {};                    ///< of its COLLECTION
  std::vector<std::string> samples = {};  ///< ids of its first samples, to recognise a new version
  std::vector<ChunkedFile> files = {};

  uint64_t size() const noexcept;
  /// The SHA-256 of all members, independent of the form of the JSON.
  Sha256 identity() const;
};

std::string encode_manifest(const ChunkManifest& manifest);

/// Parses a manifest, which may be malicious, and checks that names are different paths below one folder, that chunks
/// have 1 to `max_chunk` bytes and add up to the size of their file, that the identity is right, and that a ZIP is one
/// file. Throws FormatError, which names `path`.
ChunkManifest parse_manifest(std::string_view text, uint64_t max_chunk, const std::string& path);

}  // namespace tacore
