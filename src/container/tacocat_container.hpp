#pragma once

#include <memory>
#include <string>

#include "container/container.hpp"
#include "container/level_files.hpp"

namespace tacore {

/// `folder` is the directory `.tacocat/` itself. The ZIPs are in `base`.
std::shared_ptr<Container> open_tacocat_folder(std::shared_ptr<const Storage> storage, FolderFiles files,
                                               const std::string& folder, const std::string& base,
                                               const std::string& path, bool verify = true);
std::shared_ptr<Container> open_tacocat_file(std::shared_ptr<const Storage> storage,
                                             std::shared_ptr<const ByteSource> source, const std::string& base,
                                             const std::string& path, bool verify = true);
Collection read_tacocat_collection(const ByteSource& source, const std::string& path);

}  // namespace tacore
