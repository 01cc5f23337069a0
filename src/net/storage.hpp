#pragma once

#include <memory>

#include "io/byte_source.hpp"
#include "tacore/remote.hpp"

namespace tacore {

/// Local files, and remote ones by their path. Without options those of set_remote_options(). Safe from several
/// threads.
std::shared_ptr<const Storage> any_storage();
std::shared_ptr<const Storage> any_storage(const RemoteOptions& options);

/// True where the remote files that one call of open_all() opens are kept on the disk, all of them or none: then the
/// levels of a dataset have to come in one.
bool keeps_sets(const Storage& storage);

}  // namespace tacore
