#pragma once

#include <cstdint>
#include <string_view>

#include "tacore/dataset.hpp"
#include "tacore/visibility.hpp"

namespace tacore {

/// The HTTP requests and bytes that an operation on a remote dataset needs, if no request has to be repeated. For local
/// files both are 0.
struct RequestPlan {
  int64_t requests = 0;    ///< HTTP requests, redirects among them
  uint64_t bytes = 0;      ///< bytes of the responses, without their headers
  int64_t partitions = 0;  ///< files whose rows or samples are read
};

/// The requests of load() for `path`. The function opens the dataset and counts them; other requests that this process
/// sends at the same time are counted too. Throws as load().
///
///     const RequestPlan opening = plan_opening("https://host/chips.tacozip");
TACORE_EXPORT RequestPlan plan_opening(std::string_view path, const LoadOptions& options = {});

/// The requests of Dataset::data() for all columns of the rows, after the filters and queries of the dataset. The
/// function reads the columns that the filters test, to find the row groups with rows that pass; their requests are
/// part of the result, as data() reads these columns again. Throws as Dataset::data().
///
///     const RequestPlan rows = plan_rows(dataset.filter_bbox(-10, 35, 5, 45));
TACORE_EXPORT RequestPlan plan_rows(const Dataset& dataset);

}  // namespace tacore
