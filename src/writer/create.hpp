#pragma once

#include <string>
#include <vector>

#include "tacore/write/create.hpp"

namespace tacore {

/// create() of one file or folder whose COLLECTION.json is `collection`, as it is: of a dataset that has one already
/// for these samples. Throws as create() does, but for the rules of collections.
void create_as(const Tortilla& tortilla, const std::string& collection, const std::string& output,
               const CreateOptions& options);

/// create() of columns that others wrote: those of reserved names keep their types.
std::vector<std::string> create_found(const Taco& taco, const std::string& output, const CreateOptions& options);

}  // namespace tacore
