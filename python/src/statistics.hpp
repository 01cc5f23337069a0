#pragma once

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "bind.hpp"
#include "tacore/error.hpp"
#include "tacore/statistics.hpp"

namespace tacore::python {

inline Statistic parse_statistic(const std::string& name) {
  constexpr const char* kNames[] = {"mean", "std", "min", "max", "p25", "p50", "p75", "p95"};
  const auto found = std::ranges::find(kNames, name);
  if (found == std::end(kNames)) throw QueryError("unknown statistic '" + name + "'");
  return static_cast<Statistic>(found - std::begin(kNames));
}

/// `statistics(which, bands, level, id)` returns a number for each band, `categorical` a list. Bands count from 1.
template <class Table>
void bind_statistics(nb::class_<Table>& type) {
  const nb::call_guard<nb::gil_scoped_release> free;
  type.def(
      "statistics",
      [](const Table& self, const std::string& which, const std::vector<int>& bands, int level, const std::string& id) {
        return self.stats(parse_statistic(which), {.bands = bands, .level = level, .id = id});
      },
      free);
  type.def(
      "categorical",
      [](const Table& self, const std::vector<int>& bands, int level, const std::string& id) {
        return self.stats_categorical({.bands = bands, .level = level, .id = id});
      },
      free);
}

}  // namespace tacore::python
