#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "io/byte_source.hpp"
#include "tacore/remote.hpp"

namespace tacore::net {

/// Opens what `opener` reads, by `options`. Later several ranges are read side by side, at most their `limit` at a
/// time. nullptr when there is nothing. Errors name the path as it is given here. Throws IoError, EACCES when the store
/// refuses.
std::shared_ptr<const ByteSource> open_other_file(const RemoteOpener& opener, const std::string& path,
                                                  const RemoteOptions& options);

/// Several files, side by side. nullptr also where the store refuses: that is what it says of what is not there to
/// those who may not list it.
std::vector<std::shared_ptr<const ByteSource>> open_other_files(const RemoteOpener& opener,
                                                                std::span<const std::string> paths,
                                                                const RemoteOptions& options);

}  // namespace tacore::net
