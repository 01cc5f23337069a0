// Preloaded into the tool: counts its calls on files below a folder, writes them down, and disturbs one of them.
//
//   FAULT_FOLDER  the folder, absolute
//   FAULT_LOG     gets a line for each call, "number name path", from 1; of a rename the new path. Those of several
//                 threads need not come in order
//   FAULT_LOOKS   not empty: calls that only look at files are counted, too: stat, list, seek, cwd
//   FAULT_AT      number of the call to be disturbed, from 1
//   FAULT_DO      kill: the process ends there, a write being half done. SIGNAL NUMBER: it is sent to the process
//   before
//                 the call. fail NUMBER: the call fails with this errno. vanish, shrink, grow: the file named is
//                 removed, loses its last byte or gets one more before the call. short: no call is spared; each second
//                 open, read or write is interrupted, other reads and writes move a third of what they were asked for.
//
// What is opened as a stream is opened by the library's own fopen; everything else goes by the system call itself. With
// support/tool_server.cpp, which this is built with, a process is prepared once for many runs.
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
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
  const long size = ::syscall(SYS_readlinkat, AT_FDCWD, link.c_str(), out, sizeof out);
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

/// Not the opening of a folder: what lists folders for us, the standard library, does not try again.
bool can_be_interrupted(const std::string& name) {
  return name == "open" || name.ends_with("read") || name.ends_with("write");
}

/// In a server (support/tool_server.cpp) before it forks: what is to be done is not known yet.
bool is_idle() { return std::getenv("FAULT_FOLDER") == nullptr; }

/// What is to become of the call `name`.
Verdict judge(const char* name, const std::string& path) {
  if (is_idle()) return Verdict::Go;
  static const std::string folder = environment("FAULT_FOLDER"), log = environment("FAULT_LOG"),
                           what = environment("FAULT_DO");
  static const int at = std::atoi(environment("FAULT_AT").c_str());
  static std::atomic<int> count = 0, moved = 0;
  if (folder.empty() || !path.starts_with(folder)) return Verdict::Go;
  const int number = ++count;
  if (!log.empty()) {
    const long out = ::syscall(SYS_openat, AT_FDCWD, log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0666);
    const std::string line = std::to_string(number) + " " + name + " " + path + "\n";
    ::syscall(SYS_write, out, line.data(), line.size());
    ::syscall(SYS_close, out);
  }
  if (what == "short") {
    if (!can_be_interrupted(name)) return Verdict::Go;
    return moved++ % 2 == 0 ? Verdict::Interrupt : Verdict::Less;
  }
  if (number != at) return Verdict::Go;
  if (what == "kill") return Verdict::Die;
  if (what == "vanish") ::syscall(SYS_unlinkat, AT_FDCWD, path.c_str(), 0);
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
  if (verdict == Verdict::Interrupt) errno = EINTR;
  return verdict == Verdict::Fail || verdict == Verdict::Interrupt ? -1 : ::syscall(number, arguments...);
}

/// Whether a call that only looks at `path` may go on; else errno is set.
bool may_look(const char* name, const std::string& path) {
  if (is_idle()) return true;
  static const bool are_counted = !environment("FAULT_LOOKS").empty();
  return !are_counted || call(name, path, SYS_getpid) > 0;
}

/// The function of this name that would have been called without this library.
template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
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
  const char* name = (flags & O_DIRECTORY) != 0 ? "open_folder" : "open";
  return static_cast<int>(call(name, path_of(folder, path), SYS_openat, folder, path, flags, mode));
}

FILE* open_stream(const char* function, const char* path, const char* mode) {
  if (call("open", path_of(AT_FDCWD, path), SYS_getpid) <= 0) return nullptr;
  return next<FILE*(const char*, const char*)>(function)(path, mode);
}

mode_t mode_of(int flags, va_list arguments) { return (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0; }

int look(int folder, const char* path, struct stat* out, int flags) {
  const bool is_open_file = (flags & AT_EMPTY_PATH) != 0 && *path == '\0';
  if (!may_look("stat", is_open_file ? path_of(folder) : path_of(folder, path))) return -1;
  return static_cast<int>(::syscall(SYS_newfstatat, folder, path, out, flags));
}

struct dirent* next_entry(const char* function, DIR* listing) {
  if (!may_look("list", path_of(::dirfd(listing)))) return nullptr;
  return next<struct dirent*(DIR*)>(function)(listing);
}

}  // namespace

#pragma GCC visibility push(default)
// The names with 64 are those of programs that are built for large files. Here both are the same function.
extern "C" {

int open(const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return open_file(AT_FDCWD, path, flags, mode);
}
int open64(const char* path, int flags, ...) __attribute__((alias("open")));

int openat(int folder, const char* path, int flags, ...) {
  va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = mode_of(flags, arguments);
  va_end(arguments);
  return open_file(folder, path, flags, mode);
}
int openat64(int folder, const char* path, int flags, ...) __attribute__((alias("openat")));

FILE* fopen(const char* path, const char* mode) { return open_stream("fopen", path, mode); }
FILE* fopen64(const char* path, const char* mode) { return open_stream("fopen64", path, mode); }

ssize_t read(int descriptor, void* bytes, size_t size) { return move("read", descriptor, SYS_read, bytes, size); }
ssize_t pread(int descriptor, void* bytes, size_t size, off_t offset) {
  return move("pread", descriptor, SYS_pread64, bytes, size, offset);
}
ssize_t pread64(int descriptor, void* bytes, size_t size, off_t offset) __attribute__((alias("pread")));
// Into several places: counted and disturbed as pread is; what gets less gets a part of the first of them.
ssize_t preadv(int descriptor, const struct iovec* places, int count, off_t offset) {
  const auto verdict = judge("pread", path_of(descriptor));
  if (verdict == Verdict::Die) ::syscall(SYS_kill, ::getpid(), SIGKILL);
  if (verdict == Verdict::Interrupt) errno = EINTR;
  if (verdict == Verdict::Fail || verdict == Verdict::Interrupt) return -1;
  if (verdict != Verdict::Less || count == 0) return ::syscall(SYS_preadv, descriptor, places, count, offset, 0L);
  return ::syscall(SYS_pread64, descriptor, places->iov_base, (places->iov_len + 2) / 3, offset);
}
ssize_t preadv64(int descriptor, const struct iovec* places, int count, off_t offset) __attribute__((alias("preadv")));
ssize_t write(int descriptor, const void* bytes, size_t size) {
  return move("write", descriptor, SYS_write, bytes, size);
}
ssize_t pwrite(int descriptor, const void* bytes, size_t size, off_t offset) {
  return move("pwrite", descriptor, SYS_pwrite64, bytes, size, offset);
}
ssize_t pwrite64(int descriptor, const void* bytes, size_t size, off_t offset) __attribute__((alias("pwrite")));

int stat(const char* path, struct stat* out) noexcept { return look(AT_FDCWD, path, out, 0); }
int lstat(const char* path, struct stat* out) noexcept { return look(AT_FDCWD, path, out, AT_SYMLINK_NOFOLLOW); }
int fstat(int descriptor, struct stat* out) noexcept { return look(descriptor, "", out, AT_EMPTY_PATH); }
int fstatat(int folder, const char* path, struct stat* out, int flags) noexcept {
  return look(folder, path, out, flags);
}
off_t lseek(int descriptor, off_t offset, int whence) noexcept {
  return may_look("seek", path_of(descriptor)) ? ::syscall(SYS_lseek, descriptor, offset, whence) : -1;
}
off_t lseek64(int descriptor, off_t offset, int whence) noexcept __attribute__((alias("lseek")));
DIR* opendir(const char* path) {
  return may_look("list", path_of(AT_FDCWD, path)) ? next<DIR*(const char*)>("opendir")(path) : nullptr;
}
struct dirent* readdir(DIR* listing) { return next_entry("readdir", listing); }
char* getcwd(char* out, size_t size) noexcept {
  return may_look("cwd", environment("PWD")) ? next<char*(char*, size_t)>("getcwd")(out, size) : nullptr;
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
  return static_cast<int>(call("mkdir", path_of(AT_FDCWD, path), SYS_mkdirat, AT_FDCWD, path, mode));
}
int rename(const char* from, const char* to) noexcept {
  return static_cast<int>(call("rename", path_of(AT_FDCWD, to), SYS_renameat, AT_FDCWD, from, AT_FDCWD, to));
}
int renameat2(int from_folder, const char* from, int to_folder, const char* to, unsigned flags) noexcept {
  return static_cast<int>(
      call("rename", path_of(to_folder, to), SYS_renameat2, from_folder, from, to_folder, to, flags));
}
int unlink(const char* path) noexcept {
  return static_cast<int>(call("unlink", path_of(AT_FDCWD, path), SYS_unlinkat, AT_FDCWD, path, 0));
}
int rmdir(const char* path) noexcept {
  return static_cast<int>(call("unlink", path_of(AT_FDCWD, path), SYS_unlinkat, AT_FDCWD, path, AT_REMOVEDIR));
}
int unlinkat(int folder, const char* path, int flags) noexcept {
  return static_cast<int>(call("unlink", path_of(folder, path), SYS_unlinkat, folder, path, flags));
}
}
#pragma GCC visibility pop
