#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "dataset/open_container.hpp"
#include "tacore/collection.hpp"
#include "tacore/write/create.hpp"

namespace tacore::v1 {

bool is_taco_name(std::string_view path);
/// True for names that end in `.tortilla` or `.taco`.
bool is_v1_name(std::string_view path);

/// The collection of a dataset before 2.0 as one of 2.0: overridden by `given`, complete as convert() says.
Collection collection_for_v2(const Collection& found, const Collection& given, const std::string& path);

/// convert() where the input, which is `at`, or the output is of a version before 2.0.
std::vector<std::string> migrate(const std::shared_ptr<const Storage>& storage, const Detected& at,
                                 const std::string& input, const std::string& output, const Collection& collection,
                                 const CreateOptions& options);

}  // namespace tacore::v1
