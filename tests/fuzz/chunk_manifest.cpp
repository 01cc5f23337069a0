#include "model/chunk_manifest.hpp"

#include <optional>
#include <string>

#include "fuzz.hpp"

/// The input is the manifest of a dataset in a chunk store.
namespace tacore::fuzz {
namespace {

constexpr uint64_t kMaxChunk = 1 << 20;

std::optional<ChunkManifest> parse(std::string_view text, std::string& message) {
  std::optional<ChunkManifest> out;
  try {
    out = parse_manifest(text, kMaxChunk, "m");
  } catch (const Error& error) {
    message = error.message();
    require(!message.empty(), "an error has a message");
  }
  return out;
}

void run(Input bytes) {
  std::string text(text_of(bytes)), message;
  auto found = parse(text, message);
  // A checksum that is wrong is set right, for what lies behind it.
  constexpr std::string_view kContent = "its content has ";
  if (const auto at = message.find(kContent); !found && at != message.npos) {
    const auto stated = text.rfind("\"sha256\"");
    const auto begin = stated == text.npos ? stated : text.find('"', text.find(':', stated));
    const auto end = begin == text.npos ? begin : text.find('"', begin + 1);
    if (end == text.npos) return;
    text.replace(begin + 1, end - begin - 1, message.substr(at + kContent.size(), 64));
    found = parse(text, message);
  }
  if (!found) return;
  require(!found->files.empty(), "a dataset has files");
  require(!found->is_zip || found->files.size() == 1, "a ZIP is one file");
  for (const auto& file : found->files) {
    require(!file.name.starts_with('/') && file.name.find("..") != 0, "a name leads to a place below the folder");
    uint64_t sum = 0;
    for (const auto& chunk : file.chunks) {
      require(chunk.size > 0 && chunk.size <= kMaxChunk, "a chunk has 1 byte to the most");
      sum += chunk.size;
    }
    require(sum == file.size, "the chunks are the file");
  }
  std::string encoded = encode_manifest(*found);
  require(parse_manifest(encoded, kMaxChunk, "m").identity() == found->identity(), "what is written is read again");
}

}  // namespace
}  // namespace tacore::fuzz

TACORE_FUZZ_TARGET(tacore::fuzz::run)
