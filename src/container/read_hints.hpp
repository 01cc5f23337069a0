#pragma once

#include <string_view>

#include "format/names.hpp"
#include "io/byte_source.hpp"
#include "io/vsi_path.hpp"

/// The first read of each file of a dataset.
namespace tacore {

/// The end of a ZIP: the directory, and the metadata in front of it.
inline constexpr ReadHint kReadZip{.suffix = 32 * 1024};
/// The end of level{level}.parquet: the footer, and columns of a hundred thousand rows, which would be the next
/// request. At 25 MB/s, half a megabyte takes the 20 ms of one round trip.
inline constexpr ReadHint kReadLevel{.suffix = 512 * 1024};

/// The hint for a file by its name, which may be a URL with a query.
inline ReadHint hint_of(std::string_view path) {
  path = path.substr(0, path.find('?'));
  if (names::is_level_file(path.substr(path.rfind('/') + 1))) return kReadLevel;
  return is_zip_name(path) ? kReadZip : ReadHint();
}

}  // namespace tacore
