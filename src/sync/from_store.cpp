#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <memory>
#include <optional>
#include <set>

#include "base/checked_math.hpp"
#include "base/text.hpp"
#include "base/threads.hpp"
#include "format/names.hpp"
#include "io/byte_source.hpp"
#include "io/entry_at.hpp"
#include "io/linux.hpp"
#include "io/open_uninterrupted.hpp"
#include "io/output_file.hpp"
#include "io/vsi_path.hpp"
#include "model/identifier.hpp"
#include "sync/progress.hpp"
#include "sync/splitter.hpp"
#include "sync/store.hpp"
#include "tacore/error.hpp"
#include "tacore/ops/sync.hpp"
#include "tacore/plumbing/apart.hpp"
#include "writer/staging.hpp"

namespace tacore {
namespace {

/// The size of a write.
constexpr std::size_t kPiece = 4 << 20;

/// Consecutive chunks of a file, or an empty file.
struct Piece {
  std::size_t file = 0;
  std::span<const Chunk> chunks = {};
  uint64_t offset = 0;
  std::size_t size = 0;
};

std::vector<Piece> pieces_of(const ChunkManifest& manifest) {
  std::vector<Piece> out;
  for (std::size_t i = 0; i < manifest.files.size(); ++i) {
    const std::span<const Chunk> chunks = manifest.files[i].chunks;
    Piece piece{.file = i};
    for (std::size_t first = 0, c = 0; c < chunks.size(); ++c) {
      if (piece.size + chunks[c].size > kPiece) {
        out.push_back(piece);
        piece = {.file = i, .offset = piece.offset + piece.size};
        first = c;
      }
      piece.size += chunks[c].size;
      piece.chunks = chunks.subspan(first, c + 1 - first);
    }
    out.push_back(piece);
  }
  return out;
}

/// Reads the chunk into `out`, and verifies its hash.
void read_chunk(const Storage& storage, const std::string& store, const Chunk& chunk, std::span<std::byte> out) {
  const std::string path = chunk_path(store, chunk.hash);
  std::shared_ptr<const ByteSource> source;
  try {
    source = storage.open(path);
  } catch (const IoError& error) {
    if (!error.not_found()) throw;
    throw FormatError("this chunk is missing in the store", {.path = path});
  }
  if (source->size() != chunk.size) {
    throw FormatError("this chunk is damaged: it has " + std::to_string(source->size()) + " bytes, expected " +
                          std::to_string(chunk.size),
                      {.path = path});
  }
  source->read(0, out);
  if (const Sha256 found = sha256(out); found != chunk.hash) {
    throw FormatError("this chunk is damaged: its SHA-256 is " + hex(found), {.path = path});
  }
}

/// Creates the files of a FOLDER in a staging directory.
class FolderDraft {
 public:
  FolderDraft(const ChunkManifest& manifest, const std::string& target, bool overwrite)
      : manifest_(manifest), target_(target), overwrite_(overwrite), draft_(target, "") {
    draft_.make_folder(name());
    std::set<std::string> folders;  // parent folders come first
    for (const auto& file : manifest.files) {
      for (auto slash = file.name.find('/'); slash != file.name.npos; slash = file.name.find('/', slash + 1)) {
        folders.insert(file.name.substr(0, slash));
      }
    }
    for (const auto& folder : folders) draft_.make_folder(path_join(name(), folder));
  }

  void write(std::size_t number, uint64_t offset, std::span<const std::byte> bytes) const {
    const std::string& file = manifest_.files[number].name;
    const auto fail = [&](const char* what) { throw IoError(what, {.path = path_join(target_, file)}, errno); };
    const int descriptor = open_uninterrupted(draft_.path(path_join(name(), file)).c_str(),
                                              O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (descriptor < 0) fail("cannot be created");
    bool is_written = true;
    while (is_written && !bytes.empty()) {
      const ssize_t count = ::pwrite(descriptor, bytes.data(), bytes.size(), narrow<off_t>(offset, "offset"));
      if (count < 0 && errno == EINTR) continue;
      is_written = count >= 0;
      if (!is_written) break;
      offset += static_cast<uint64_t>(count);
      bytes = bytes.subspan(static_cast<std::size_t>(count));
    }
    const int error_number = errno;
    if (::close(descriptor) == 0 && is_written) return;
    if (!is_written) errno = error_number;
    fail("cannot be written");
  }

  void sync() const { sync_file_system(draft_.path(), target_); }

  void publish() const { tacore::publish(draft_.path(), parent_folder(target_), {name()}, overwrite_); }

 private:
  std::string name() const { return file_name(target_); }

  const ChunkManifest& manifest_;
  std::string target_;
  bool overwrite_;
  StagingDir draft_;
};

/// STORE/NAME of `given`; a missing name is that of the output, or of the only dataset in the store.
StorePath find_dataset(const std::string& given, const std::string& output) {
  auto found = find_store(given);
  if (!found) throw ValidationError("is neither a chunk store nor a dataset in one", {.path = given});
  const auto names = dataset_names(found->store);
  const auto has = [&](const std::string& name) { return std::binary_search(names.begin(), names.end(), name); };
  if (found->name.empty() && has(file_name(output))) found->name = file_name(output);
  if (found->name.empty() && names.size() == 1) found->name = names[0];
  if (has(found->name)) return *found;
  const std::string what =
      found->name.empty() ? "STORE/NAME expected" : "no dataset is called " + tacore::in_quotes(found->name);
  throw ValidationError(what + "; the store has " + (names.empty() ? "no datasets" : join(names, ", ")),
                        {.path = found->store});
}

void check_output(const std::string& output, bool is_zip, bool overwrite) {
  if (output.empty() || output.find('\0') != output.npos || !why_unsafe_id(file_name(output)).empty()) {
    throw ValidationError("the output is " + tacore::in_quotes(output) + "; the name of a file or folder expected");
  }
  if (is_zip != is_zip_name(output)) {
    throw ValidationError(is_zip ? "is the name of a folder; the dataset is a ZIP, a name in .tacozip or .zip expected"
                                 : "is the name of a ZIP; the dataset is a FOLDER, the name of a folder expected",
                          {.path = output});
  }
  const auto found = entry_at(output);
  if (!found) return;
  if (!overwrite) throw ValidationError("exists already", {.path = output});
  if (is_zip != !S_ISDIR(found->st_mode)) {
    throw ValidationError(is_zip ? "is a folder, the name of a file expected" : "is a file, a folder expected",
                          {.path = output});
  }
  std::error_code unreadable;
  if (!is_zip && !entry_at(path_join(output, names::kCollection)) && !std::filesystem::is_empty(output, unreadable)) {
    throw ValidationError("is a folder of other files, a dataset to be replaced expected", {.path = output});
  }
}

}  // namespace

bool is_store(const std::string& path) { return find_store(path).has_value(); }

SyncResult sync_from_store(const std::string& store, const std::string& dataset, const SyncOptions& options) {
  const std::string output = without_slashes(dataset);
  if (find_store(output))
    throw ValidationError("is in a chunk store; the name of a dataset expected", {.path = dataset});
  const StorePath from = find_dataset(store, output);
  const auto storage = local_storage();
  const std::string path = manifest_path(from.store, from.name);
  const Bytes text = storage->open(path)->read_all();
  const ChunkManifest manifest =
      parse_manifest({reinterpret_cast<const char*>(text.data()), text.size()}, kMaxChunk, path);
  if (!manifest.name.empty() && manifest.name != from.name) {
    throw FormatError(
        "is the manifest of " + tacore::in_quotes(manifest.name) + ", expected that of " + tacore::in_quotes(from.name),
        {.path = path});
  }
  check_output(output, manifest.is_zip, options.overwrite);
  require_apart(output, {from.store});

  std::optional<OutputFile> zip;
  std::optional<FolderDraft> folder;
  if (manifest.is_zip) {
    zip.emplace(output, options.overwrite);
  } else {
    folder.emplace(manifest, output, options.overwrite);
  }
  const auto pieces = pieces_of(manifest);
  SyncProgress progress(options, manifest.size(), output);
  run_parallel(pieces.size(), num_threads(options.task.jobs), [&](std::size_t i) {
    const Piece& piece = pieces[i];
    const std::span bytes = scratch(piece.size, piece.offset);
    std::size_t done = 0;
    for (const auto& chunk : piece.chunks) {
      read_chunk(*storage, from.store, chunk, bytes.subspan(done, chunk.size));
      done += chunk.size;
    }
    if (zip) zip->write(piece.offset, bytes);
    if (folder) folder->write(piece.file, piece.offset, bytes);
    progress.add(piece.size);
  });
  if (zip) zip->sync();
  if (folder) folder->sync();
  progress.add(0);  // the last chance to cancel
  if (zip) zip->commit();
  if (folder) folder->publish();
  SyncResult out{.num_bytes_moved = manifest.size()};
  for (const auto& file : manifest.files) out.num_chunks_moved += file.chunks.size();
  return out;
}

}  // namespace tacore
