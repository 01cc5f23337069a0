#pragma once

#include <memory>
#include <string>
#include <vector>

#include "container/container.hpp"
#include "io/byte_source.hpp"

namespace tacore {

/// Opens a TACO ZIP. `verify`: samples are verified as they are read.
std::shared_ptr<Container> open_zip(std::shared_ptr<const ByteSource> source, const std::string& path,
                                    bool verify = true);
Collection read_zip_collection(const std::shared_ptr<const ByteSource>& source, const std::string& path);

/// True for a remote file whose last bytes were read when it was opened, and are the end of a ZIP: then detection needs
/// no request for its first bytes.
bool ends_as_zip(const ByteSource& source);

/// The ranges that opening a remote ZIP and reading all rows of its levels take: the tables, and, where there are
/// several levels, the directory that verifies them. Throws as opening it.
std::vector<ByteRange> ranges_of_rows(const ByteSource& zip, const std::string& path);

}  // namespace tacore
