#pragma once

#include <fcntl.h>

#include <cerrno>
#include <string>

namespace tacore::cli {

/// open(2), again while a signal interrupts it. A negative number and errno when it fails.
inline int open_file(const std::string& path, int flags, mode_t mode = 0) noexcept {
  int out = -1;
  do {
    out = ::open(path.c_str(), flags, mode);
  } while (out < 0 && errno == EINTR);
  return out;
}

}  // namespace tacore::cli
