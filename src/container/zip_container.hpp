#pragma once

#include <memory>
#include <string>
#include <vector>

#include "container/container.hpp"
#include "io/byte_source.hpp"

namespace tacore {

/// `verify`: samples are proved as they are read.
std::shared_ptr<Container> open_zip(std::shared_ptr<const ByteSource> source, const std::string& path,
                                    bool verify = true);
Collection read_zip_collection(const std::shared_ptr<const ByteSource>& source, const std::string& path);

/// True of a remote file that was opened from its end, and has that of a ZIP: its first bytes need not be asked for.
bool ends_as_zip(const ByteSource& source);

/// What opening a remote ZIP reads of it, and then going through all rows of its levels: their tables, and, where there
/// are several levels, the directory that proves them. Throws as opening it.
std::vector<ByteRange> ranges_of_rows(const ByteSource& zip, const std::string& path);

}  // namespace tacore
