#pragma once

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <vector>

#include "bind.hpp"
#include "tacore/error.hpp"
#include "tacore/statistics.hpp"

namespace tacore::python {

/// `statistics(which, bands, level, id)`: a number for each band; "categorical" gives a list for each.
template <class Table>
void bind_statistics(nb::class_<Table>& type) {
  using Options = StatsOptions;
  const auto get = [](const Table& self, const std::string& which, const std::vector<int>& bands, int level,
                      const std::string& id) {
    const Options options{.level = level, .id = id};
    const nb::gil_scoped_release release;
    if (which == "mean") return self.stats_mean(bands, options);
    if (which == "std") return self.stats_std(bands, options);
    if (which == "min") return self.stats_min(bands, options);
    if (which == "max") return self.stats_max(bands, options);
    if (which == "p25") return self.stats_p25(bands, options);
    if (which == "p50") return self.stats_p50(bands, options);
    if (which == "p75") return self.stats_p75(bands, options);
    if (which == "p95") return self.stats_p95(bands, options);
    throw QueryError("no statistic '" + which + "'");
  };
  type.def("statistics", get);
  type.def(
      "categorical",
      [](const Table& self, const std::vector<int>& bands, int level, const std::string& id) {
        return self.stats_categorical(bands, {.level = level, .id = id});
      },
      nb::call_guard<nb::gil_scoped_release>());
}

}  // namespace tacore::python
