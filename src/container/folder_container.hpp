#pragma once

#include <memory>
#include <string>

#include "container/container.hpp"
#include "container/level_files.hpp"

namespace tacore {

std::shared_ptr<Container> open_folder(std::shared_ptr<const Storage> storage, FolderFiles files,
                                       const std::string& path);
}  // namespace tacore
