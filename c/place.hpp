#pragma once

#include <string>

#include "tacore/dataframe.hpp"

/// A sample of a frame: the row at a position (-1: any), or what is below it at a path of ids.
namespace tacore::c {

/// Whether `child` is a path, and not the row itself.
inline bool is_below(const char* child) { return child != nullptr && *child != '\0'; }

/// The rows below which `child` is a path of ids. Throws NavigationError for a FILE.
DataFrame rows_above(const DataFrame& frame, int64_t position);

/// The children of a FOLDER. Throws NavigationError, also for a FILE.
DataFrame children_at(const DataFrame& frame, int64_t position, const char* child);
/// The path under which GDAL opens a FILE. Throws NavigationError, also for a FOLDER.
std::string path_at(const DataFrame& frame, int64_t position, const char* child);
/// The bytes of a FILE. Throws NavigationError, also for a FOLDER.
Bytes bytes_at(const DataFrame& frame, int64_t position, const char* child);

}  // namespace tacore::c
