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
  std::vector<Chunk> chunks = {};  ///< one after another they are the file
};

/// A dataset in a chunk store (docs/format.md).
struct ChunkManifest {
  bool is_zip = false;                    ///< else a FOLDER
  std::string name = {};                  ///< in the store; "" of the first manifests, which had neither of the three
  std::string id = {};                    ///< of its COLLECTION
  std::vector<std::string> samples = {};  ///< ids of its first samples: by them a new version of it is known
  std::vector<ChunkedFile> files = {};

  uint64_t size() const noexcept;
  /// The SHA-256 of everything above, whatever it is written as.
  Sha256 identity() const;
};

std::string encode_manifest(const ChunkManifest& manifest);

/// Everything a stranger may have written is checked: that names lead to places of their own below one folder, that
/// chunks have 1 to `max_chunk` bytes and are together as large as their file, that the identity is right, that a ZIP
/// is one file. Throws FormatError, which names `path`.
ChunkManifest parse_manifest(std::string_view text, uint64_t max_chunk, const std::string& path);

}  // namespace tacore
