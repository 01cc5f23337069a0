#pragma once

#include <string>
#include <vector>

#include "tacore/write/create.hpp"

namespace tacore {

/// As create(), for one file or folder with an existing `collection` document, which is written unchanged. Throws as
/// create() does, except for the rules of collections.
void create_as(const Tortilla& tortilla, const std::string& collection, const std::string& output,
               const CreateOptions& options);

/// As create(), for columns that other writers made: columns of reserved names keep their types.
std::vector<std::string> create_found(const Taco& taco, const std::string& output, const CreateOptions& options);

}  // namespace tacore
