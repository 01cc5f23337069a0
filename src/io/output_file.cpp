#include "io/output_file.hpp"

#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <new>
#include <string_view>
#include <utility>
#include <vector>

#include "base/checked_math.hpp"
#include "base/log.hpp"
#include "io/entry_at.hpp"
#include "io/open_uninterrupted.hpp"
#include "io/vsi_path.hpp"
#include "tacore/error.hpp"

namespace tacore {
namespace {

struct Free {
  void operator()(std::byte* memory) const { std::free(memory); }
};

/// From this size on, the write-back of a piece is started right away.
constexpr uint64_t kWorthwhile = 256 << 10;

[[noreturn]] void fail(const std::string& what, const std::string& path, int error_number) {
  throw IoError(what, {.path = path}, error_number);
}

void require_free(const std::string& target, bool overwrite) {
  const auto found = entry_at(target);
  if (!found) return;
  if (S_ISDIR(found->st_mode)) fail("is a folder, the name of a file expected", target, 0);
  if (!overwrite) fail("exists already", target, 0);
}

constexpr std::string_view kTemporary = ".part";
constexpr std::size_t kTokenSize = 16;

/// Whether this name still leads to the open file or folder. Throws IoError.
bool is_at(int descriptor, const std::string& path, const std::string& target) {
  struct stat opened = {}, named = {};
  if (::fstat(descriptor, &opened) != 0) fail("cannot stat", target, errno);
  if (::lstat(path.c_str(), &named) == 0) return opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
  if (errno != ENOENT) fail("cannot stat", target, errno);
  return false;
}

/// Removes a temporary file or folder unless a process holds the lock of hold_temporary().
void remove_unheld(const std::string& path, const std::string& target) {
  const int descriptor = open_uninterrupted(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) return;
  const struct Closing {
    int descriptor;
    ~Closing() { ::close(descriptor); }
  } closing{descriptor};
  if (::flock(descriptor, LOCK_EX | LOCK_NB) != 0 || !is_at(descriptor, path, target)) return;
  std::error_code ignored;  // a file that cannot be removed does no harm
  std::filesystem::remove_all(path, ignored);
  log::info(target + ": removed the unfinished output of an earlier run, " + file_name(path));
}

/// Removes the temporary files and folders in `folder` that killed runs left for `target`. Inside of a temporary folder
/// nothing is removed: its files belong to this run.
void remove_abandoned(const std::string& folder, const std::string& start, const std::string& target) {
  if (without_slashes(folder).ends_with(kTemporary)) return;
  std::vector<std::string> found;
  try {
    for (const auto& entry : std::filesystem::directory_iterator(folder.empty() ? "." : folder)) {
      const std::string name = entry.path().filename().string();
      const bool is_one = name.size() == start.size() + kTokenSize + kTemporary.size() && name.starts_with(start) &&
                          name.ends_with(kTemporary);
      const std::string token = is_one ? name.substr(start.size(), kTokenSize) : "";
      if (is_one && token.find_first_not_of("0123456789abcdef") == token.npos) found.push_back(entry.path().string());
    }
  } catch (const std::filesystem::filesystem_error& error) {
    const int number = error.code().value();
    // Listing is not permitted, or the folder is missing: then writing to it fails.
    if (number != EACCES && number != ENOENT && number != ENOTDIR) fail("its folder cannot be listed", target, number);
  }
  for (const auto& path : found) remove_unheld(path, target);
}

}  // namespace

std::string temporary_for(const std::string& target, const std::string& temp_dir) {
  const std::string folder = temp_dir.empty() ? parent_folder(target) : temp_dir;
  const std::string start = "." + file_name(target) + ".";
  remove_abandoned(folder, start, target);
  uint64_t random = 0;
  if (::getentropy(&random, sizeof random) != 0) fail("cannot get random numbers for a temporary name", target, errno);
  char token[kTokenSize + 1];
  std::snprintf(token, sizeof token, "%016" PRIx64, random);
  return path_join(folder, start + token + std::string(kTemporary));
}

bool hold_temporary(int descriptor, const std::string& temporary, const std::string& target) {
  while (::flock(descriptor, LOCK_EX) != 0 && errno == EINTR) continue;
  return is_at(descriptor, temporary, target);
}

Temporary make_temporary(const std::string& target, const std::string& temp_dir, bool is_folder, bool is_private) {
  for (;;) {
    Temporary out{.path = temporary_for(target, temp_dir)};
    const char* path = out.path.c_str();
    if (is_folder && ::mkdir(path, 0777) != 0) fail("cannot be created", target, errno);
    out.descriptor = is_folder
                         ? open_uninterrupted(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
                         : open_uninterrupted(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, is_private ? 0600 : 0666);
    const int error_number = errno;
    if (is_folder && out.descriptor < 0 && error_number == ENOENT) continue;  // another run has removed it
    try {
      if (out.descriptor < 0) fail("cannot be created", target, error_number);
      if (hold_temporary(out.descriptor, out.path, target)) return out;
    } catch (...) {
      if (is_folder) ::rmdir(path);
      else if (out.descriptor >= 0) ::unlink(path);
      if (out.descriptor >= 0) ::close(out.descriptor);
      throw;
    }
    ::close(out.descriptor);
  }
}

void rename_to(const std::string& from, const std::string& to, bool overwrite) {
  int result = ::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), overwrite ? 0 : RENAME_NOREPLACE);
  if (result != 0 && (errno == EINVAL || errno == ENOSYS)) {  // NFS has no such flag
    struct stat status = {};
    if (!overwrite && ::lstat(to.c_str(), &status) == 0) fail("exists already", to, 0);
    result = ::rename(from.c_str(), to.c_str());
  }
  if (result == 0) return;
  if (errno == EEXIST) fail("exists already", to, 0);
  fail("the finished file cannot be renamed to this", to, errno);
}

void exchange_names(const std::string& a, const std::string& b) {
  if (::renameat2(AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), RENAME_EXCHANGE) != 0) fail("cannot be replaced", b, errno);
}

void sync_folder_of(const std::string& path) {
  const std::string folder = parent_folder(path);
  const int descriptor = open_uninterrupted(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  const int error_number = ::fsync(descriptor) == 0 ? 0 : errno;
  ::close(descriptor);
  if (error_number != 0 && error_number != EINVAL) fail("its folder cannot be written to the disk", path, error_number);
}

void start_writeback(int descriptor, uint64_t offset, uint64_t size) noexcept {
  if (size < kWorthwhile) return;
  ::sync_file_range(descriptor, static_cast<off_t>(offset), static_cast<off_t>(size), SYNC_FILE_RANGE_WRITE);
}

OutputFile::OutputFile(std::string target, bool overwrite, const std::string& temp_dir, bool is_private)
    : target_(std::move(target)), overwrite_(overwrite) {
  require_free(target_, overwrite_);
  Temporary made = make_temporary(target_, temp_dir, false, is_private);
  temporary_ = std::move(made.path);
  descriptor_ = made.descriptor;
  direct_ = open_uninterrupted(temporary_.c_str(), O_WRONLY | O_CLOEXEC | O_DIRECT);
}

OutputFile::~OutputFile() {
  if (direct_ >= 0) ::close(direct_);
  if (descriptor_ < 0) return;
  ::close(descriptor_);
  ::unlink(temporary_.c_str());
}

void OutputFile::write(uint64_t offset, std::span<const std::byte> bytes) const {
  const uint64_t begin = (offset + kDiskBlock - 1) / kDiskBlock * kDiskBlock;
  const uint64_t end = (offset + bytes.size()) / kDiskBlock * kDiskBlock;
  const bool is_placed = reinterpret_cast<uintptr_t>(bytes.data()) % kDiskBlock == offset % kDiskBlock;
  if (direct_ < 0 || !is_placed || end < begin + kWorthwhile) return write_cached(offset, bytes);
  write_cached(offset, bytes.first(begin - offset));
  write_direct(begin, bytes.subspan(begin - offset, end - begin));
  write_cached(end, bytes.subspan(end - offset));
}

void OutputFile::write_direct(uint64_t offset, std::span<const std::byte> bytes) const {
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(direct_, bytes.data(), bytes.size(), narrow<off_t>(offset, "offset"));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EINVAL)
      return write_cached(offset, bytes);  // direct writes need larger blocks, or are not supported
    if (written < 0) throw IoError("cannot be written", {.path = target_, .offset = offset}, errno);
    offset += static_cast<uint64_t>(written);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void OutputFile::write_cached(uint64_t offset, std::span<const std::byte> bytes) const {
  const uint64_t begin = offset, size = bytes.size();
  while (!bytes.empty()) {
    const ssize_t written = ::pwrite(descriptor_, bytes.data(), bytes.size(), narrow<off_t>(offset, "offset"));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw IoError("cannot be written", {.path = target_, .offset = offset}, errno);
    offset += static_cast<uint64_t>(written);
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  start_writeback(descriptor_, begin, size);
}

void OutputFile::copy(const OpenFile& source, uint64_t from, uint64_t offset, uint64_t size,
                      const std::function<void(uint64_t num_bytes)>& tell) const {
  copy_range(source, from, {.descriptor = descriptor_, .name = target_}, offset, size, tell);
}

void OutputFile::take_permissions(const OpenFile& source) const {
  struct stat status = {};
  if (::fstat(source.descriptor, &status) != 0) fail("cannot stat", source.name, errno);
  ::fchmod(descriptor_, status.st_mode & 07777);
}

void OutputFile::sync() {
  if (::fsync(descriptor_) != 0) fail("cannot be written to the disk", target_, errno);
  is_synced_ = true;
}

void OutputFile::commit() {
  if (!is_synced_) sync();
  rename_to(temporary_, target_, overwrite_);
  ::close(descriptor_);
  descriptor_ = -1;
  sync_folder_of(target_);
}

std::span<std::byte> scratch(std::size_t size, uint64_t offset) {
  thread_local std::unique_ptr<std::byte[], Free> memory;
  thread_local std::size_t capacity = 0;
  const std::size_t lead = offset % kDiskBlock;
  const std::size_t needed = (lead + size + kDiskBlock - 1) / kDiskBlock * kDiskBlock;
  if (capacity < needed) {
    memory.reset(static_cast<std::byte*>(std::aligned_alloc(kDiskBlock, needed)));
    if (!memory) throw std::bad_alloc();
    capacity = needed;
  }
  return {memory.get() + lead, size};
}

}  // namespace tacore
