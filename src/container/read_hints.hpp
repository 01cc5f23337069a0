#pragma once

#include <string_view>

#include "format/names.hpp"
#include "io/byte_source.hpp"
#include "io/vsi_path.hpp"

/// The bytes of the files of a dataset that a reader needs first (ReadHint).
namespace tacore {

/// The end of a ZIP: the directory, and the metadata in front of it.
inline constexpr ReadHint kReadZip{.suffix = 32 * 1024};
/// The end of level{level}.parquet: the footer, and columns of a hundred thousand rows. They would be the next request,
/// and when a round trip takes 20 ms or more, a connection of 25 MB/s transfers as much in that time.
inline constexpr ReadHint kReadLevel{.suffix = 512 * 1024};

/// The hint for a file, by its name, which may be a URL with a query.
inline ReadHint hint_of(std::string_view path) {
  path = path.substr(0, path.find('?'));
  if (names::is_level_file(path.substr(path.rfind('/') + 1))) return kReadLevel;
  return is_zip_name(path) ? kReadZip : ReadHint();
}

}  // namespace tacore
