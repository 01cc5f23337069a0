#include "new_file.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>

#include <tacore/error.hpp>
#include <tacore/plumbing/temporary.hpp>

#include "io/open_uninterrupted.hpp"

namespace tacore::cli {
namespace {

constexpr const char* kExists = "exists already";  // the words of rename_to()

// What a signal has to remove: a plain array, since a handler may call next to nothing.
char doomed[4096];
volatile sig_atomic_t is_doomed = 0;

extern "C" void remove_and_end(int signal) {
  if (is_doomed != 0) ::unlink(doomed);
  ::raise(signal);  // SA_RESETHAND: now with its usual effect
}

void remove_on_signal(const std::string& path) {
  if (path.size() >= sizeof doomed) throw IoError("the name is too long", {.path = path});
  std::memcpy(doomed, path.c_str(), path.size() + 1);
  is_doomed = 1;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction action = {};
    ::sigaction(signal, nullptr, &action);
    if (action.sa_handler != SIG_DFL) continue;  // nohup, or set already
    action.sa_handler = remove_and_end;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    ::sigaction(signal, &action, nullptr);
  }
}

/// None where nothing is.
std::optional<struct stat> status_of(const std::string& path) {
  struct stat out = {};
  if (::stat(path.c_str(), &out) == 0) return out;
  if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
  throw IoError("cannot stat", {.path = path}, errno);
}

/// The file that a symbolic link leads to, so that the link stays.
std::string resolved(const std::string& path) {
  struct stat status = {};
  if (::lstat(path.c_str(), &status) != 0 || !S_ISLNK(status.st_mode)) return path;
  char* real = ::realpath(path.c_str(), nullptr);
  const std::string out = real != nullptr ? real : path;
  std::free(real);
  return out;
}

}  // namespace

NewFile::NewFile(const std::string& target, bool overwrite)
    : target_(overwrite ? resolved(target) : target), overwrite_(overwrite) {
  const auto existing = status_of(target_);
  if (existing && S_ISDIR(existing->st_mode)) fail("is a folder, expected the name of a file", 0);
  if (existing && !overwrite_) refuse();
  for (bool is_held = false; !is_held;) {
    if (descriptor_ >= 0) ::close(descriptor_);
    temporary_ = temporary_for(target_);
    remove_on_signal(temporary_);  // before it is there: no instant without
    descriptor_ = open_uninterrupted(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ < 0) fail("cannot create the file", errno);
    try {
      is_held = hold_temporary(descriptor_, temporary_, target_);
    } catch (const IoError&) {
      ::unlink(temporary_.c_str());
      throw;
    }
  }
  // What replaces a private file is private.
  if (existing) ::fchmod(descriptor_, existing->st_mode & 07777);
}

NewFile::~NewFile() {
  if (descriptor_ >= 0) {
    ::close(descriptor_);
    ::unlink(temporary_.c_str());
  }
  is_doomed = 0;
}

void NewFile::commit() {
  if (::fsync(descriptor_) != 0) fail("cannot write to the disk", errno);
  try {
    rename_to(temporary_, target_, overwrite_);
  } catch (const IoError& error) {
    if (error.message() == kExists) refuse();  // it appeared meanwhile
    throw;
  }
  ::close(descriptor_);
  descriptor_ = -1;
  sync_folder_of(target_);
}

void NewFile::refuse() const { fail(std::string(kExists) + "; --overwrite replaces it", 0); }

void NewFile::fail(const std::string& what, int error_number) const {
  throw IoError(what, {.path = target_}, error_number);
}

}  // namespace tacore::cli
