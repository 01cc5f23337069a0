#include <nanobind/stl/string.h>

#include <numeric>
#include <string>
#include <vector>

#include "bind.hpp"
#include "options.hpp"
#include "others.hpp"
#include "tacore/dataset.hpp"
#include "tacore/raster/pixel_statistics.hpp"
#include "text.hpp"

namespace tacore::python {
namespace {

/// Statistics of the rows [begin, end) of a frame: bands, number of samples, failures with their position in the frame.
nb::tuple compute_statistics_part(const DataFrame& frame, int64_t begin, int64_t end, const Keywords& given) {
  ComputeOptions options =
      options_of<ComputeOptions>(given, {.task = {.jobs = 1}, .part_rows = end - begin, .fallback = raster_opener()});
  FrameStatistics made = [&] {
    const nb::gil_scoped_release release;
    std::vector<int64_t> rows(static_cast<std::size_t>(end - begin));
    std::iota(rows.begin(), rows.end(), begin);
    return compute_statistics(frame.take(rows), options);
  }();
  nb::list failures;
  for (const auto& failure : made.failures)
    failures.append(nb::make_tuple(begin + failure.position, text(failure.message)));
  return nb::make_tuple(std::move(made.bands), made.num_samples, failures);
}

}  // namespace

void bind_distributed(nb::module_& m) {
  using nb::arg;
  m.def("part_rows", &part_rows, arg("num_rows"));
  m.def("compute_statistics_part", &compute_statistics_part, arg("frame"), arg("begin"), arg("end"), arg("options"));
}

}  // namespace tacore::python
