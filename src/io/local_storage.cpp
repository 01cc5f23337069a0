#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <utility>

#include "base/checked_math.hpp"
#include "base/log.hpp"
#include "io/byte_source.hpp"
#include "io/open_uninterrupted.hpp"
#include "io/proved_here.hpp"
#include "tacore/error.hpp"

namespace tacore {
namespace {

class FileDescriptor {
 public:
  explicit FileDescriptor(int number) noexcept : number_(number) {}
  FileDescriptor(FileDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~FileDescriptor() {
    // The file is open for reading only: an error of close() has no consequence.
    if (number_ >= 0) ::close(number_);
  }

  int get() const noexcept { return number_; }
  bool is_open() const noexcept { return number_ >= 0; }

 private:
  int number_;
};

/// Opens `real`; messages name `path`.
FileDescriptor open_file(const std::string& path, const std::string& real) {
  // O_NONBLOCK: opening a pipe would wait for its writer before it can be refused.
  constexpr int kFlags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
  const int number = open_uninterrupted(real.c_str(), kFlags);
  if (number < 0) throw IoError("cannot open", {.path = path}, errno);
  return FileDescriptor(number);
}

struct stat status_of(const FileDescriptor& file, const std::string& path) {
  struct stat status = {};
  if (::fstat(file.get(), &status) != 0) throw IoError("cannot stat", {.path = path}, errno);
  return status;
}

uint64_t size_of_regular_file(const FileDescriptor& file, const std::string& path) {
  const auto status = status_of(file, path);
  if (S_ISDIR(status.st_mode)) throw IoError("cannot open as a file", {.path = path}, EISDIR);
  if (!S_ISREG(status.st_mode)) throw IoError("not a regular file", {.path = path});
  return narrow<uint64_t>(status.st_size, "file size");
}

// An index may list thousands of ZIPs, and a process may often have no more than 1,024 open files.
constexpr int kMaxKeptOpen = 256;
std::atomic<int> num_kept_open = 0;

/// A file that stays open, or, beyond kMaxKeptOpen of them, is opened again for each read and must then be the same
/// file.
class LocalFile final : public ByteSource {
 public:
  LocalFile(std::string path, std::string real) : path_(std::move(path)), real_(std::move(real)) {
    FileDescriptor file = open_file(path_, real_);
    size_ = size_of_regular_file(file, path_);
    opened_ = status_of(file, path_);
    if (num_kept_open.fetch_add(1) < kMaxKeptOpen) {
      kept_ = std::move(file);
    } else {
      num_kept_open.fetch_sub(1);
    }
  }
  LocalFile(const LocalFile&) = delete;
  LocalFile& operator=(const LocalFile&) = delete;
  ~LocalFile() override {
    if (kept_.is_open()) num_kept_open.fetch_sub(1);
  }

  const std::string& name() const noexcept override { return path_; }
  uint64_t size() const override { return size_; }
  bool is_local() const noexcept override { return true; }
  std::string version() const override {
    const FileDescriptor again = kept_.is_open() ? FileDescriptor(-1) : open_again();
    auto out = stamp_of(opened_);
    return stamp_of(status_of(kept_.is_open() ? kept_ : again, path_)) == out ? out : "";
  }

  void read(uint64_t offset, std::span<std::byte> out) const override {
    require_inside({offset, out.size()});
    if (log_level() == LogLevel::Debug) {
      log::debug("read " + std::to_string(out.size()) + " bytes at " + std::to_string(offset) + " of " + path_);
    }
    const FileDescriptor again = kept_.is_open() ? FileDescriptor(-1) : open_again();
    const FileDescriptor& file = kept_.is_open() ? kept_ : again;
    while (!out.empty()) {
      const std::size_t num_read = read_some(file, offset, out);
      if (num_read == 0) throw_shrunk(file, offset, out.size());
      offset += num_read;
      out = out.subspan(num_read);
    }
  }

 private:
  /// One pread, which may return less than asked (about 2 GiB is the most) and 0 past the end.
  std::size_t read_some(const FileDescriptor& file, uint64_t offset, std::span<std::byte> out) const {
    const auto position = narrow<off_t>(offset, "offset");
    ssize_t result = -1;
    do {
      result = ::pread(file.get(), out.data(), out.size(), position);
    } while (result < 0 && errno == EINTR);
    if (result < 0) throw IoError("cannot read", {.path = path_, .offset = offset}, errno);
    return narrow<std::size_t>(result, "read size");
  }

  [[noreturn]] void throw_shrunk(const FileDescriptor& file, uint64_t offset, uint64_t num_missing) const {
    const auto now = size_of_regular_file(file, path_);
    throw IoError("read of " + std::to_string(num_missing) + " bytes: the file shrank from " + std::to_string(size_) +
                      " to " + std::to_string(now) + " bytes",
                  {.path = path_, .offset = offset});
  }

  FileDescriptor open_again() const {
    FileDescriptor file = open_file(path_, real_);
    const auto status = status_of(file, path_);
    if (status.st_dev == opened_.st_dev && status.st_ino == opened_.st_ino) return file;
    throw IoError("the file was replaced after it was opened", {.path = path_});
  }

  std::string path_;  ///< as the user wrote it
  std::string real_;
  FileDescriptor kept_{-1};
  struct stat opened_ = {};
  uint64_t size_;
};

/// C functions stop at a NUL byte: they would open another path than the one that was checked.
void refuse_nul(const std::string& path) {
  if (path.find('\0') == std::string::npos) return;
  throw IoError("path has a NUL byte", {.path = path.substr(0, path.find('\0'))});
}

/// Relative paths start at the folder that was the working directory when the storage was made: a dataset opens files
/// later, and the process may have changed it by then.
class LocalStorage final : public Storage {
 public:
  LocalStorage() {
    char* folder = ::getcwd(nullptr, 0);
    if (folder != nullptr) folder_ = folder;  // else it was removed, and relative paths lead nowhere
    std::free(folder);
  }

  std::shared_ptr<const ByteSource> open(const std::string& path, const ReadHint&) const override {
    refuse_nul(path);
    return std::make_shared<LocalFile>(path, resolved(path));
  }

  bool exists(const std::string& path, bool directory) const override {
    refuse_nul(path);
    struct stat status = {};
    if (::stat(resolved(path).c_str(), &status) == 0) {
      return directory ? S_ISDIR(status.st_mode) : S_ISREG(status.st_mode);
    }
    if (errno == ENOENT || errno == ENOTDIR) return false;
    throw IoError("cannot stat", {.path = path}, errno);
  }

 private:
  std::string resolved(const std::string& path) const {
    return path.empty() || path.starts_with('/') || folder_.empty() ? path : folder_ + "/" + path;
  }

  std::string folder_;
};

}  // namespace

std::shared_ptr<const Storage> local_storage() { return std::make_shared<LocalStorage>(); }

}  // namespace tacore
