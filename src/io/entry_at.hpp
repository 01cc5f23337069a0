#pragma once

#include <sys/stat.h>

#include <cerrno>
#include <optional>
#include <string>

#include "tacore/error.hpp"

namespace tacore {

/// What has the name `path`, a link itself; none where nothing has it. Throws IoError when that cannot be known: what
/// is not seen would be taken for free, and replaced.
inline std::optional<struct stat> entry_at(const std::string& path) {
  struct stat out = {};
  if (::lstat(path.c_str(), &out) == 0) return out;
  if (errno == ENOENT || errno == ENOTDIR) return std::nullopt;
  throw IoError("cannot stat", {.path = path}, errno);
}

}  // namespace tacore
