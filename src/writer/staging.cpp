#include "writer/staging.hpp"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <utility>

#include "io/entry_at.hpp"
#include "io/linux.hpp"
#include "io/open_uninterrupted.hpp"
#include "io/output_file.hpp"
#include "io/vsi_path.hpp"
#include "tacore/error.hpp"

namespace tacore {
namespace {

[[noreturn]] void fail(const std::string& what, const std::string& path) { throw IoError(what, {.path = path}, errno); }

}  // namespace

StagingDir::StagingDir(const std::string& target, const std::string& temp_dir) : target_(target) {
  Temporary made = make_temporary(target, temp_dir, true);
  path_ = std::move(made.path);
  descriptor_ = made.descriptor;
}

StagingDir::~StagingDir() {
  std::error_code ignored;  // nothing can be done about what cannot be removed
  std::filesystem::remove_all(path_, ignored);
  ::close(descriptor_);
}

std::string StagingDir::path(const std::string& name) const { return path_join(path_, name); }

std::string StagingDir::target(const std::string& name) const { return path_join(target_, name); }

void StagingDir::make_folder(const std::string& name) const {
  if (::mkdir(path(name).c_str(), 0777) != 0) throw IoError("cannot be created", {.path = target(name)}, errno);
}

void StagingDir::write_file(const std::string& name, std::span<const std::byte> bytes) const {
  StagedFile file(*this, name);
  file.write(bytes);
  file.close();
}

void StagingDir::sync() const { sync_file_system(descriptor_, target_); }

StagedFile::StagedFile(const StagingDir& staging, const std::string& name) : target_(staging.target(name)) {
  descriptor_ = open_uninterrupted(staging.path(name).c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor_ < 0) fail("cannot be created", target_);
}

StagedFile::~StagedFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void StagedFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail("cannot be written", target_);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
    start_writeback(descriptor_, size_, static_cast<uint64_t>(count));
    size_ += static_cast<uint64_t>(count);
  }
}

void StagedFile::write(uint64_t offset, std::span<const std::byte> bytes) const {
  while (!bytes.empty()) {
    const ssize_t count = ::pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail("cannot be written", target_);
    start_writeback(descriptor_, offset, static_cast<uint64_t>(count));
    bytes = bytes.subspan(static_cast<std::size_t>(count));
    offset += static_cast<uint64_t>(count);
  }
}

void StagedFile::copy(const OpenFile& source, uint64_t size, const std::function<void(uint64_t num_bytes)>& tell) {
  copy_range(source, 0, {.descriptor = descriptor_, .name = target_}, 0, size, tell);
}

void StagedFile::set_time(int64_t seconds) {
  const struct timespec times[2] = {{.tv_sec = seconds, .tv_nsec = 0}, {.tv_sec = seconds, .tv_nsec = 0}};
  ::futimens(descriptor_, times);
}

void StagedFile::set_permissions(uint32_t mode) { ::fchmod(descriptor_, mode & 07777); }

void StagedFile::close() {
  const int descriptor = std::exchange(descriptor_, -1);
  if (::close(descriptor) != 0) fail("cannot be written", target_);
}

void check_temp_dir(const std::string& output, const std::string& temp_dir) {
  if (temp_dir.empty()) return;
  const std::string parent = parent_folder(output);
  struct stat there = {}, here = {};
  if (::stat(temp_dir.c_str(), &there) != 0)
    throw IoError("cannot be used for temporary files", {.path = temp_dir}, errno);
  if (!S_ISDIR(there.st_mode)) throw ValidationError("is not a folder for temporary files", {.path = temp_dir});
  if (::stat(parent.empty() ? "." : parent.c_str(), &here) == 0 && here.st_dev != there.st_dev) {
    throw ValidationError("is on another file system than " + output + "; a folder on the same file system expected",
                          {.path = temp_dir});
  }
}

void make_folder(const std::string& path) {
  if (::mkdir(path.c_str(), 0777) != 0) throw IoError("cannot be created", {.path = path}, errno);
}

void publish(const std::string& staging, const std::string& folder, const std::vector<std::string>& names,
             bool overwrite) {
  struct Move {
    std::string from, to;
    bool exchanged;
  };
  std::vector<Move> done;
  try {
    for (const auto& name : names) {
      Move move{.from = path_join(staging, name), .to = path_join(folder, name), .exchanged = false};
      struct stat made = {};
      if (::lstat(move.from.c_str(), &made) != 0) throw IoError("cannot be found again", {.path = move.from}, errno);
      const auto old = overwrite ? entry_at(move.to) : std::nullopt;
      move.exchanged = old.has_value();
      if (move.exchanged && S_ISDIR(made.st_mode) != S_ISDIR(old->st_mode)) {
        throw IoError(
            S_ISDIR(old->st_mode) ? "is a folder, the name of a file expected" : "is a file, a folder expected",
            {.path = move.to});
      }
      if (move.exchanged) {
        exchange_names(move.from, move.to);
      } else {
        rename_to(move.from, move.to, false);
      }
      done.push_back(std::move(move));
    }
  } catch (const IoError&) {
    for (auto move = done.rbegin(); move != done.rend(); ++move) {
      try {
        if (move->exchanged) {
          exchange_names(move->from, move->to);
        } else {
          rename_to(move->to, move->from, false);
        }
      } catch (const IoError&) {  // what cannot be undone stays; the first error is reported
      }
    }
    throw;
  }
  sync_folder_of(path_join(folder, names.at(0)));
}

}  // namespace tacore
