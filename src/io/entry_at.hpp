#pragma once

#include <sys/stat.h>

#include <cerrno>
#include <optional>
#include <string>

#include "tacore/error.hpp"

namespace tacore {

/// lstat() of `path`; nullopt where it does not exist. Throws IoError when this cannot be determined: a file that only
/// looks absent would be replaced.
inline std::optional<struct stat> entry_at(const std::string& path) {
  struct stat out = {};
  if (::lstat(path.c_str(), &out) == 0) return out;
  if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
  throw IoError("cannot stat", {.path = path}, errno);
}

}  // namespace tacore
