#pragma once

#include <memory>

#include "io/byte_source.hpp"
#include "tacore/remote.hpp"

namespace tacore {

/// Opens local and remote files, by their path. Without options, those of set_remote_options() are used. Safe from
/// several threads.
std::shared_ptr<const Storage> any_storage();
std::shared_ptr<const Storage> any_storage(const RemoteOptions& options);

}  // namespace tacore
