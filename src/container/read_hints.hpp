#pragma once

#include <string_view>

#include "format/names.hpp"
#include "io/byte_source.hpp"
#include "io/vsi_path.hpp"

/// What a reader wants of the files of a dataset first.
namespace tacore {

/// The end of a ZIP: the directory, and the metadata in front of it.
inline constexpr ReadHint kReadZip{.suffix = 32 * 1024};
/// The end of level{level}.parquet: the footer, and columns of a hundred thousand rows. They would be the next request,
/// and where a round trip takes 20 ms or more, 25 MB/s bring as much in one.
inline constexpr ReadHint kReadLevel{.suffix = 512 * 1024};

/// By the name of a file, which may be a URL with a query.
inline ReadHint hint_of(std::string_view path) {
  path = path.substr(0, path.find('?'));
  if (names::is_level_file(path.substr(path.rfind('/') + 1))) return kReadLevel;
  return is_zip_name(path) ? kReadZip : ReadHint();
}

}  // namespace tacore
