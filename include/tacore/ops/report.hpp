#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "tacore/crs.hpp"
#include "tacore/dataset.hpp"
#include "tacore/ops/validate.hpp"
#include "tacore/visibility.hpp"

/// Reports of what validate() found:
///
///     const std::vector<Issue> issues = validate("chips.tacozip", {.assets = true});
///     const std::string page = issues2html(issues, "chips.tacozip");   // for people
///     const std::string list = issues2sarif(issues, "chips.tacozip");  // for other programs
///
/// A report depends on the issues and the dataset only, never on the current time. Paths are written without user,
/// password and query. All functions may be called from several threads. Texts are UTF-8 and end in a newline.
namespace tacore {

class RasterOpener;

/// Options of issues2html().
struct ReportOptions {
  LoadOptions load = {};
  int64_t sample_size = 0;  ///< as in ValidateOptions: the page states what follows from it; 0: all were looked at
  int pictures = 10;        ///< maximal number of samples that are shown, those with the most faults
  const CrsTransformer* transformer = nullptr;  ///< as in DescribeOptions, of the map. Not owned
  const RasterOpener* fallback = nullptr;       ///< as in DescribeOptions, of the pictures. Not owned
};

/// Returns the issues as JSON: an array with an object in each line, of rule, severity ("error" or "warning"), message,
/// path, offset, level, num_issues and rows; what is unknown is null.
TACORE_EXPORT std::string issues2json(std::span<const Issue> issues);

/// Returns the issues as SARIF 2.1.0 (OASIS), which code hosts and editors show: JSON with the rules that are broken
/// and a result for each issue, with its file, its byte, and the rows of its samples in `properties.rows`. `path` is
/// that of the dataset.
TACORE_EXPORT std::string issues2sarif(std::span<const Issue> issues, std::string_view path);

/// Returns the issues as an HTML page: a table of the rules that are broken, a map of the samples with a fault among
/// all samples, pictures of the samples with the most faults, and all messages. The page needs no other file and no
/// network. The dataset at `path` is read for map and pictures; where it cannot be opened, they are left out.
TACORE_EXPORT std::string issues2html(std::span<const Issue> issues, std::string_view path,
                                      const ReportOptions& options = {});

}  // namespace tacore
