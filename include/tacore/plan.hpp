#pragma once

#include <cstdint>
#include <string_view>

#include "tacore/dataset.hpp"
#include "tacore/visibility.hpp"

namespace tacore {

/// What an operation takes of the servers of a remote dataset, when no request has to be repeated. All zero for local
/// files, but for `partitions`.
struct RequestPlan {
  int64_t requests = 0;    ///< HTTP requests, redirects among them
  uint64_t bytes = 0;      ///< bytes of the responses, without their headers
  int64_t partitions = 0;  ///< files whose rows or samples are read
};

/// What load() of `path` takes. The dataset is opened to find out. Other requests of this process at the same time are
/// counted too. Throws as load().
///
///     const RequestPlan opening = plan_opening("https://host/chips.tacozip");
TACORE_EXPORT RequestPlan plan_opening(std::string_view path, const LoadOptions& options = {});

/// What computing all columns of the rows of a dataset takes: its filters and queries. The columns that filters test
/// are read, to know which row groups have rows that pass; the result includes them, as data() reads them again. Throws
/// as Dataset::data().
///
///     const RequestPlan rows = plan_rows(dataset.filter_bbox(-10, 35, 5, 45));
TACORE_EXPORT RequestPlan plan_rows(const Dataset& dataset);

}  // namespace tacore
