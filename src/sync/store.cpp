#include "sync/store.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <thread>
#include <utility>

#include "base/log.hpp"
#include "base/text.hpp"
#include "io/byte_source.hpp"
#include "io/linux.hpp"
#include "io/open_uninterrupted.hpp"
#include "io/output_file.hpp"
#include "io/vsi_path.hpp"
#include "tacore/error.hpp"

namespace tacore {
namespace {

constexpr std::string_view kMarker = "TACO_STORE", kMarkerText = "taco chunk store, version 1\n";
constexpr std::string_view kExtension = ".json";

/// The number of bytes of chunks that are synced to the disk together: a killed process loses at most one batch, and
/// smaller batches would wait for the disk too often.
constexpr uint64_t kBatch = 256 << 20;

/// The folder of chunks has a subfolder for each first byte of a hash.
std::string chunk_folder(const std::string& store) { return path_join(store, "chunks"); }
std::string manifest_folder(const std::string& store) { return path_join(store, "datasets"); }

[[noreturn]] void fail(const std::string& what, const std::string& path) { throw IoError(what, {.path = path}, errno); }

bool is_store_folder(const std::string& path) {
  const std::string marker = path_join(path, kMarker);
  const auto storage = local_storage();
  if (!storage->exists(marker)) return false;
  const auto source = storage->open(marker);
  const Bytes bytes = source->read({0, std::min<uint64_t>(source->size(), 100)});
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text != kMarkerText) {
    throw FormatError("is " + tacore::in_quotes(text) + ", expected " + tacore::in_quotes(kMarkerText),
                      {.path = marker});
  }
  return true;
}

void write_file(int descriptor, std::span<const std::byte> bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail("cannot be written", path);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
}

void write_small_file(const std::string& path, std::string_view text, bool overwrite) {
  OutputFile out(path, overwrite);
  out.write(0, std::as_bytes(std::span(text)));
  out.commit();
}

/// True when the file exists and has these bytes. It is read and compared, since a backup must be reliable.
bool holds(const std::string& path, std::span<const std::byte> bytes) {
  struct stat status = {};
  if (::stat(path.c_str(), &status) != 0 || static_cast<uint64_t>(status.st_size) != bytes.size()) return false;
  try {
    const Bytes stored = local_storage()->open(path)->read_all();
    return std::ranges::equal(stored, bytes);
  } catch (const IoError&) {
    return false;  // the disk can no longer read it
  }
}

}  // namespace

std::optional<StorePath> find_store(const std::string& given) {
  const std::string path = without_slashes(given);
  if (path.empty() || path.find('\0') != path.npos || is_remote(path)) return std::nullopt;
  if (is_store_folder(path)) return StorePath{.store = path};
  const std::string parent = parent_folder(path);
  if (!is_store_folder(parent.empty() ? "." : parent)) return std::nullopt;
  return StorePath{.store = parent.empty() ? "." : without_slashes(parent), .name = file_name(path)};
}

void make_store(const std::string& path) {
  if (path.empty() || path.find('\0') != path.npos || is_remote(path)) {
    throw ValidationError("the store is " + tacore::in_quotes(path) + "; a local folder expected");
  }
  std::error_code none;
  const auto status = std::filesystem::symlink_status(path, none);
  if (std::filesystem::exists(status) &&
      (!std::filesystem::is_directory(status) || !std::filesystem::is_empty(path, none))) {
    if (is_store_folder(path)) return;  // another process has created it in the meantime
    throw ValidationError("is not a chunk store; a store, or the path of a new one, expected", {.path = path});
  }
  const StagingDir staging(path, "");
  staging.make_folder("chunks");
  for (int byte = 0; byte < 256; ++byte) {
    staging.make_folder("chunks/" + hex({static_cast<std::byte>(byte)}).substr(0, 2));
  }
  staging.make_folder("datasets");
  write_small_file(staging.path(std::string(kMarker)), kMarkerText, false);
  try {
    rename_to(staging.path(), path, true);  // replaces an empty folder, but no other
  } catch (const IoError&) {
    if (!is_store_folder(path)) throw;  // else another process has created it in the meantime
  }
  sync_folder_of(path);
}

std::string chunk_path(const std::string& store, const Sha256& hash) {
  const std::string name = hex(hash);
  return path_join(path_join(chunk_folder(store), name.substr(0, 2)), name);
}

std::string manifest_path(const std::string& store, const std::string& name) {
  return path_join(manifest_folder(store), name + std::string(kExtension));
}

std::vector<std::string> dataset_names(const std::string& store) {
  std::vector<std::string> out;
  try {
    for (const auto& entry : std::filesystem::directory_iterator(manifest_folder(store))) {
      const std::string name = entry.path().filename().string();
      if (name.ends_with(kExtension)) out.push_back(name.substr(0, name.size() - kExtension.size()));
    }
  } catch (const std::filesystem::filesystem_error& error) {
    throw IoError("cannot be listed", {.path = manifest_folder(store)}, error.code().value());
  }
  std::sort(out.begin(), out.end());
  return out;
}

StoreWriter::StoreWriter(const std::string& store, const std::function<void()>& go_on) : store_(store) {
  const std::string marker = path_join(store, kMarker);
  lock_ = open_uninterrupted(marker.c_str(), O_RDONLY | O_CLOEXEC);
  if (lock_ < 0) fail("cannot open", marker);
  try {
    if (lock(go_on)) {
      std::error_code ignored;
      for (const auto& entry : std::filesystem::directory_iterator(store, ignored)) {
        const std::string name = entry.path().filename().string();
        if (name.starts_with(".chunks.") && name.ends_with(".part")) std::filesystem::remove_all(entry.path(), ignored);
      }
    }
    draft_.emplace(chunk_folder(store), "");
  } catch (...) {
    ::close(lock_);
    throw;
  }
}

bool StoreWriter::lock(const std::function<void()>& go_on) const {
  for (bool is_told = false; ::flock(lock_, LOCK_EX | LOCK_NB) != 0; is_told = true) {
    if (errno == EINTR) continue;
    // Without locks: chunks have the same bytes whoever stores them.
    if (errno != EWOULDBLOCK) return false;
    if (!is_told) log::warning(store_ + ": another sync writes to this store; waiting for it");
    if (go_on) go_on();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return true;
}

StoreWriter::~StoreWriter() {
  draft_.reset();
  ::close(lock_);
}

bool StoreWriter::put(const Sha256& hash, std::span<const std::byte> bytes) {
  const std::string target = chunk_path(store_, hash);
  {
    const std::lock_guard lock(mutex_);
    if (proved_.contains(hash)) return false;
  }
  if (holds(target, bytes)) {
    const std::lock_guard lock(mutex_);
    proved_.insert(hash);
    return false;
  }
  const int file = open_uninterrupted(draft_->path(hex(hash)).c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0 && errno == EEXIST) return false;  // another thread is writing it
  if (file < 0) fail("cannot be created", target);
  try {
    write_file(file, bytes, target);
  } catch (...) {
    ::close(file);
    throw;
  }
  if (::close(file) != 0) fail("cannot be written", target);
  bool is_full = false;
  {
    const std::lock_guard lock(mutex_);
    pending_.push_back(hash);
    num_pending_bytes_ += bytes.size();
    is_full = num_pending_bytes_ >= kBatch;
  }
  if (is_full) commit();
  return true;
}

void StoreWriter::sync() const { sync_file_system(store_, store_); }

void StoreWriter::commit() {
  std::vector<Sha256> batch;
  {
    const std::lock_guard lock(mutex_);
    batch = std::exchange(pending_, {});
    num_pending_bytes_ = 0;
  }
  if (batch.empty()) return;
  sync();
  for (const auto& hash : batch) rename_to(draft_->path(hex(hash)), chunk_path(store_, hash), true);
}

void StoreWriter::publish(const std::string& name, const ChunkManifest& manifest) {
  commit();
  sync();  // the names, too
  write_small_file(manifest_path(store_, name), encode_manifest(manifest), true);
}

}  // namespace tacore
