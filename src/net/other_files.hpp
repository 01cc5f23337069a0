#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "io/byte_source.hpp"
#include "tacore/remote.hpp"

namespace tacore::net {

/// Opens a file that `opener` reads, with `options`. Reads of several ranges run concurrently, at most `limit` at a
/// time. nullptr when the file is absent. Errors name the path as it is given here. Throws IoError, EACCES when the
/// store denies access.
std::shared_ptr<const ByteSource> open_other_file(const RemoteOpener& opener, const std::string& path,
                                                  const RemoteOptions& options);

/// Opens several files concurrently. nullptr also where the store denies access: that is its response for an absent
/// file to users without the permission to list files.
std::vector<std::shared_ptr<const ByteSource>> open_other_files(const RemoteOpener& opener,
                                                                std::span<const std::string> paths,
                                                                const RemoteOptions& options);

}  // namespace tacore::net
