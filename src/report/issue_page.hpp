#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "describe/page.hpp"
#include "tacore/ops/report.hpp"

namespace tacore::report {

/// What a page says of issues.
struct IssueParts {
  std::string title = {};  ///< of the dataset, else its path
  std::vector<descriptions::Page::Part> parts = {};
  bool has_map = false;
  uint64_t num_errors = 0, num_warnings = 0;
};

/// The sections Summary, Rules, Map, Worst samples and Findings, as far as there is something to say.
IssueParts issue_parts(std::span<const Issue> issues, const std::string& path, const ReportOptions& options);

/// "1,000 errors"
std::string counted(uint64_t number, const std::string& noun);

}  // namespace tacore::report
