#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tacore/error.hpp"
#include "tacore/visibility.hpp"

/// Checks of a whole dataset against the specification.
namespace tacore {

enum class Severity { Warning, Error };

/// One broken rule. `rule` is a number of docs/rules.md, such as "ZIP-3" or, before 2.0, "V1-5".
struct Issue {
  std::string rule = {};
  Severity severity = Severity::Error;
  std::string message = {};
  ErrorContext where = {};
};

struct ValidateOptions {
  bool deep = false;           ///< also reads every byte: CRC-32, values, Parquet statistics, pixels
  std::string base_path = {};  ///< as in LoadOptions
  /// Before 2.0 only: `stac-tortilla`, `rai-tortilla`, whose fields are to be there.
  std::vector<std::string> profiles = {};
};

/// Every rule that `path` breaks, in the order found; goes on after the first. A path that cannot be opened breaks one.
/// A remote FOLDER cannot be listed: files that no row names are not looked for there.
/// Throws QueryError for a profile of another name, and for any where the dataset is of 2.0.
TACORE_EXPORT std::vector<Issue> validate(std::string_view path, const ValidateOptions& options = {});

}  // namespace tacore
