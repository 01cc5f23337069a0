#pragma once

#include <string>

#include "writer/tree.hpp"

/// Trees from what people have; create.hpp says what becomes of it.
namespace tacore {

Tree tree_of_folder(const std::string& path);
Tree tree_of_table(const std::string& path);

/// The FILE at `path`: its size and time. Throws IoError, also for what is no file.
Payload payload_of(const std::string& path);

}  // namespace tacore
