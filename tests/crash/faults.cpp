// Preloaded into the tool: counts its calls on files below a folder, writes them down, and disturbs one of them.
//
//   FAULT_FOLDER  the folder, absolute
//   FAULT_LOG     gets a line for each call, "name path"; of a rename the new path
//   FAULT_AT      number of the call to be disturbed, from 1
//   FAULT_DO      kill: the process ends there, a write being half done. SIGNAL NUMBER: it is sent to the process
//   before
//                 the call. fail NUMBER: the call fails with this errno. vanish, shrink, grow: the file named is
//                 removed, loses its last byte or gets one more before the call. short: no call is spared; each second
//                 read or write is interrupted, the others move a third of what they were asked for.
//
// Calls that neither change files nor read them are not counted. Everything goes by the system call itself.
#include <fcntl.h>
#include <linux/fs.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

std::string path_of(int descriptor) {
  char out[4096];
  const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
  const long size = ::syscall(SYS_readlink, link.c_str(), out, sizeof out);
  return {out, static_cast<std::size_t>(size < 0 ? 0 : size)};
}

std::string path_of(int folder, const char* path) {
  if (*path == '/') return path;
  return (folder == AT_FDCWD ? environment("PWD") : path_of(folder)) + "/" + path;
}

void change_size(const std::string& path, long by) {
  struct stat status = {};
  if (::stat(path.c_str(), &status) == 0) ::syscall(SYS_truncate, path.c_str(), status.st_size + by);
}

enum class Verdict { Go, Fail, Die, Interrupt, Less };

/// What is to become of the call `name`.
Verdict judge(const char* name, const std::string& path) {
  static const std::string folder = environment("FAULT_FOLDER"), log = environment("FAULT_LOG"),
                           what = environment("FAULT_DO");
  static const int at = std::atoi(environment("FAULT_AT").c_str());
  static std::atomic<int> count = 0, moved = 0;
  if (folder.empty() || !path.starts_with(folder)) return Verdict::Go;
  if (!log.empty()) {
    const long out = ::syscall(SYS_openat, AT_FDCWD, log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0666);
    const std::string line = name + (" " + path) + "\n";
    ::syscall(SYS_write, out, line.data(), line.size());
    ::syscall(SYS_close, out);
  }
  if (what == "short") {
    if (std::strstr(name, "write") == nullptr && std::strstr(name, "read") == nullptr) return Verdict::Go;
    return moved++ % 2 == 0 ? Verdict::Interrupt : Verdict::Less;
  }
  if (++count != at) return Verdict::Go;
  if (what == "kill") return Verdict::Die;
  if (what == "vanish") ::syscall(SYS_unlink, path.c_str());
  if (what == "shrink") change_size(path, -1);
  if (what == "grow") change_size(path, 1);
  if (what.starts_with("signal ")) ::syscall(SYS_kill, ::getpid(), std::atoi(what.c_str() + 7));
  if (!what.starts_with("fail ")) return Verdict::Go;
  errno = std::atoi(what.c_str() + 5);
  return Verdict::Fail;
}

/// A call that moves no bytes.
template <class... Arguments>
long call(const char* name, const std::string& path, long number, Arguments... arguments) {
  const auto verdict = judge(name, path);
  if (verdict == Verdict::Die) ::syscall(SYS_kill, ::getpid(), SIGKILL);
  return verdict == Verdict::Fail ? -1 : ::syscall(number, arguments...);
}

template <class Bytes, class... Offset>
ssize_t move(const char* name, int descriptor, long number, Bytes* bytes, std::size_t size, Offset... offset) {
  const auto verdict = judge(name, path_of(descriptor));
  if (verdict == Verdict::Die) {
    ::syscall(number, descriptor, bytes, size / 2, offset...);
    ::syscall(SYS_kill, ::getpid(), SIGKILL);
  }
  if (verdict == Verdict::Interrupt) errno = EINTR;
  if (verdict == Verdict::Fail || verdict == Verdict::Interrupt) return -1;
  if (verdict == Verdict::Less) size = (size + 2) / 3;
  return ::syscall(number, descriptor, bytes, size, offset...);
}

int open_file(int folder, const char* path, int flags, mode_t mode) {
  return static_cast<int>(call("open", path_of(folder, path), SYS_openat, folder, path, flags, mode));
}

mode_t mode_of(int flags, va_list arguments) { return (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0; }

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return open_file(AT_FDCWD, path, flags, mode);
}

int openat(int folder, const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return open_file(folder, path, flags, mode);
}

ssize_t read(int descriptor, void* bytes, size_t size) { return move("read", descriptor, SYS_read, bytes, size); }
ssize_t pread(int descriptor, void* bytes, size_t size, off_t offset) {
  return move("read", descriptor, SYS_pread64, bytes, size, offset);
}
ssize_t write(int descriptor, const void* bytes, size_t size) {
  return move("write", descriptor, SYS_write, bytes, size);
}
ssize_t pwrite(int descriptor, const void* bytes, size_t size, off_t offset) {
  return move("pwrite", descriptor, SYS_pwrite64, bytes, size, offset);
}

ssize_t copy_file_range(int from, off_t* from_offset, int to, off_t* to_offset, size_t size, unsigned flags) {
  const auto verdict = judge("kernel_write", path_of(to));
  if (verdict == Verdict::Interrupt) errno = EINTR;
  if (verdict == Verdict::Fail || verdict == Verdict::Interrupt) return -1;
  if (verdict == Verdict::Less) size = (size + 2) / 3;
  if (verdict == Verdict::Die) size /= 2;
  const ssize_t out = ::syscall(SYS_copy_file_range, from, from_offset, to, to_offset, size, flags);
  if (verdict == Verdict::Die) ::syscall(SYS_kill, ::getpid(), SIGKILL);
  return out;
}
int ioctl(int descriptor, unsigned long request, ...) noexcept {
  va_list arguments;
  va_start(arguments, request);
  void* argument = va_arg(arguments, void*);
  va_end(arguments);
  if (request != FICLONERANGE) return static_cast<int>(::syscall(SYS_ioctl, descriptor, request, argument));
  return static_cast<int>(call("clone", path_of(descriptor), SYS_ioctl, descriptor, request, argument));
}
int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) noexcept {
  return static_cast<int>(call("link", path_of(to_folder, to), SYS_linkat, from_folder, from, to_folder, to, flags));
}

// A process that is killed loses nothing of what it wrote: syncing would only make the test slow.
int fsync(int descriptor) { return call("fsync", path_of(descriptor), SYS_getpid) > 0 ? 0 : -1; }
int syncfs(int descriptor) noexcept { return call("syncfs", path_of(descriptor), SYS_getpid) > 0 ? 0 : -1; }
int futimens(int descriptor, const struct timespec times[2]) noexcept {
  return static_cast<int>(call("futimens", path_of(descriptor), SYS_utimensat, descriptor, nullptr, times, 0));
}
int mkdir(const char* path, mode_t mode) noexcept {
  return static_cast<int>(call("mkdir", path_of(AT_FDCWD, path), SYS_mkdir, path, mode));
}
int rename(const char* from, const char* to) noexcept {
  return static_cast<int>(call("rename", path_of(AT_FDCWD, to), SYS_rename, from, to));
}
int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) noexcept {
  return static_cast<int>(
      call("rename", path_of(to_folder, to), SYS_renameat2, from_folder, from, to_folder, to, flags));
}
int unlink(const char* path) noexcept {
  return static_cast<int>(call("unlink", path_of(AT_FDCWD, path), SYS_unlink, path));
}
int rmdir(const char* path) noexcept {
  return static_cast<int>(call("unlink", path_of(AT_FDCWD, path), SYS_rmdir, path));
}
int unlinkat(int folder, const char* path, int flags) noexcept {
  return static_cast<int>(call("unlink", path_of(folder, path), SYS_unlinkat, folder, path, flags));
}
}
#pragma GCC visibility pop
