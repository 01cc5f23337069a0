#pragma once

#include <fcntl.h>

#include <cerrno>

namespace tacore {

/// open(2), again while a signal interrupts it: a file system of the network or of another program may wait there, and
/// the host's signal handlers, such as Python's, need not restart what they interrupt.
inline int open_uninterrupted(const char* path, int flags, mode_t mode = 0) noexcept {
  int out = -1;
  do {
    out = ::open(path, flags, mode);
  } while (out < 0 && errno == EINTR);
  return out;
}

}  // namespace tacore
