#include "tacore/raster/pixel_statistics.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <limits>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "interruptible.hpp"
#include "options.hpp"
#include "others.hpp"
#include "raster.hpp"
#include "text.hpp"

namespace tacore::python {
namespace {

Binary binary_of(const nb::bytes& bytes) { return {std::string(bytes.c_str(), bytes.size())}; }

nb::bytes encoded(const Histogram& histogram) {
  const std::string bytes = histogram.encode().bytes;
  return nb::bytes(bytes.data(), bytes.size());
}

std::vector<std::pair<double, uint64_t>> bins_of(const Histogram& histogram) {
  std::vector<std::pair<double, uint64_t>> out;
  for (const auto& bin : histogram.bins()) out.emplace_back(bin.value, bin.count);
  return out;
}

void add_all(Histogram& histogram, const std::vector<double>& values) {
  for (const double value : values) histogram.add(value);
}

nb::tuple state_of(const BandStatistics& band) {
  const Moments& m = band.moments;
  return nb::make_tuple(band.num_pixels, m.count, m.min, m.max, m.mean, m.sum_of_squares, encoded(band.histogram));
}

void set_state(BandStatistics& band, const nb::tuple& state) {
  new (&band) BandStatistics{
      .num_pixels = nb::cast<uint64_t>(state[0]),
      .moments = {.count = nb::cast<uint64_t>(state[1]),
                  .min = nb::cast<double>(state[2]),
                  .max = nb::cast<double>(state[3]),
                  .mean = nb::cast<double>(state[4]),
                  .sum_of_squares = nb::cast<double>(state[5])},
      .histogram = Histogram::decode(binary_of(nb::cast<nb::bytes>(state[6]))),
  };
}

/// A moment, or NaN without valid pixels, as in numpy.
double or_nan(const BandStatistics& band, double Moments::*member) {
  return band.moments.count == 0 ? std::numeric_limits<double>::quiet_NaN() : band.moments.*member;
}

nb::tuple of_frame(const DataFrame& frame, const Keywords& given, nb::handle callback) {
  ComputeOptions options = options_of<ComputeOptions>(given, {.fallback = raster_opener()});
  Progress progress(callback, options.task);
  FrameStatistics made = progress.run([&] { return compute_statistics(frame, options); });
  nb::list failures;
  for (const auto& failure : made.failures) failures.append(nb::make_tuple(failure.position, text(failure.message)));
  return nb::make_tuple(std::move(made.bands), made.num_samples, failures);
}

using SummaryTuple =
    std::tuple<int, double, double, double, double, std::vector<double>, bool, double, std::vector<double>>;

/// The stored summary of a Dataset or a DataFrame, as tuples in the order of the fields of BandSummary.
template <class Table>
std::vector<SummaryTuple> summary_of(const Table& table, const std::vector<int>& bands,
                                     const std::vector<double>& quantiles, int level, const std::string& id,
                                     const std::string& child) {
  std::vector<SummaryTuple> out;
  for (auto& band : stored_summary(table, {.bands = bands, .level = level, .id = id, .child = child}, quantiles)) {
    out.emplace_back(band.band, band.mean, band.std, band.min, band.max, std::move(band.quantiles), band.is_approximate,
                     band.quantile_error, std::move(band.classes));
  }
  return out;
}

}  // namespace

void bind_pixel_statistics(nb::module_& m) {
  const nb::call_guard<nb::gil_scoped_release> free;
  nb::class_<Histogram>(m, "Histogram",
                        "Histogram of numbers: exact counts of up to 65,536 different numbers, beyond that in bins of "
                        "equal width. Histograms of parts can be merged exactly. A histogram can be pickled; equal "
                        "histograms have equal bytes.")
      .def("__init__",
           [](Histogram* self, const nb::args& given, const nb::kwargs& named) {
             if (given.size() + named.size() > 0) {
               throw nb::type_error(
                   "Histogram() takes no arguments: it is empty, and merge() adds others; compute_statistics() makes "
                   "those of pixels");
             }
             new (self) Histogram();
           })
      .def("add", nb::overload_cast<double, uint64_t>(&Histogram::add), nb::arg("value"), nb::arg("count") = 1,
           "Adds a number, `count` times. Raises TacoQueryError for NaN and infinities.")
      .def("add", &add_all, nb::arg("values"), "Adds each number of an array. Raises TacoQueryError as above.")
      .def("merge", &Histogram::merge, nb::arg("other"), "Adds the counts of another histogram.")
      .def_prop_ro("count", &Histogram::count, "Number of numbers.")
      .def_prop_ro("min", &Histogram::min, "Smallest number; NaN without numbers.")
      .def_prop_ro("max", &Histogram::max, "Largest number; NaN without numbers.")
      .def_prop_ro("bins", &bins_of,
                   "Non-empty bins as (value, count), ascending. A bin has the numbers from `value` to "
                   "`value` + `bin_width`; for negative values, to `value` - `bin_width`.")
      .def_prop_ro("bin_width", &Histogram::bin_width, "Width of a bin; 0 if every bin is a single number.")
      .def_prop_ro("error_bound", &Histogram::error_bound, "Largest possible error of quantile(): half a bin.")
      .def("quantile", &Histogram::quantile, nb::arg("p"),
           "Quantile for a probability `p` from 0 to 1, interpolated as by numpy.quantile; NaN without numbers. Raises "
           "TacoQueryError for p outside [0, 1].")
      .def("encode", &encoded, "Encodes the histogram as bytes, in the format of `geotiff:histogram`.")
      .def_static(
          "decode", [](const nb::bytes& bytes) { return Histogram::decode(binary_of(bytes)); }, nb::arg("data"),
          "Decodes the result of encode(). Raises TacoFormatError for other bytes.")
      .def(
          "__eq__",
          [](const Histogram& self, nb::handle other) {
            return nb::isinstance<Histogram>(other) && self == nb::cast<const Histogram&>(other);
          },
          nb::arg("other").none())
      .def("__getstate__", [](const Histogram& self) { return nb::make_tuple(encoded(self)); })
      .def("__setstate__", [](Histogram& self, const nb::tuple& state) {
        new (&self) Histogram(Histogram::decode(binary_of(nb::cast<nb::bytes>(state[0]))));
      });
  nb::class_<BandStatistics>(m, "BandStatistics",
                             "Statistics of the valid pixels of a band: those that are finite and not no data. "
                             "Statistics of parts can be merged. They can be pickled.")
      .def_ro("num_pixels", &BandStatistics::num_pixels, "Number of pixels, valid or not.")
      .def_prop_ro(
          "count", [](const BandStatistics& self) { return self.moments.count; }, "Number of valid pixels.")
      .def_prop_ro(
          "min", [](const BandStatistics& self) { return or_nan(self, &Moments::min); },
          "Smallest value; NaN without valid pixels.")
      .def_prop_ro(
          "max", [](const BandStatistics& self) { return or_nan(self, &Moments::max); },
          "Largest value; NaN without valid pixels.")
      .def_prop_ro(
          "mean", [](const BandStatistics& self) { return or_nan(self, &Moments::mean); },
          "Mean; NaN without valid pixels.")
      .def_prop_ro(
          "std", [](const BandStatistics& self) { return self.moments.standard_deviation(); },
          "Standard deviation of the population; NaN without valid pixels.")
      .def_prop_ro("valid_percent", &BandStatistics::valid_percent,
                   "Share of valid pixels in percent, 0 to 100; 0 without pixels.")
      .def_ro("histogram", &BandStatistics::histogram, "Histogram of the valid pixels.")
      .def(
          "quantile", [](const BandStatistics& self, double p) { return self.histogram.quantile(p); }, nb::arg("p"),
          "Quantile of the valid pixels for a probability `p` from 0 to 1; see Histogram.quantile().")
      .def(
          "scale",
          [](const BandStatistics& self) {
            const Scale scale = self.scale();
            return std::pair(scale.factor, scale.offset);
          },
          "(factor, offset) for the argument `scale` of Raster.read(), which give the pixels mean 0 and standard "
          "deviation 1. Raises TacoQueryError without valid pixels.")
      .def("merge", &BandStatistics::merge, nb::arg("other"), "Adds the statistics of other pixels.")
      .def("__repr__",
           [](const BandStatistics& self) {
             const Moments& of = self.moments;
             return "BandStatistics(count=" + std::to_string(of.count) + ", min=" + std::to_string(of.min) +
                    ", max=" + std::to_string(of.max) + ", mean=" + std::to_string(of.mean) +
                    ", std=" + std::to_string(of.standard_deviation()) + ")";
           })
      .def("__getstate__", &state_of)
      .def("__setstate__", &set_state);
  m.def(
      "compute_statistics",
      [](const SharedRaster& raster, const std::vector<int>& bands) {
        return compute_statistics(*raster.raster, bands);
      },
      free);
  m.def("compute_statistics", &of_frame, nb::arg("frame"), nb::arg("options"), nb::arg("progress").none(),
        nb::sig("def compute_statistics(frame: DataFrame, options: dict[str, Any], progress: object | None) -> "
                "tuple[list[BandStatistics], int, list[tuple[int, str]]]"));
  m.def(
      "compute_quantiles",
      [](const SharedRaster& raster, const std::vector<double>& probabilities, const std::vector<int>& bands) {
        return compute_quantiles(*raster.raster, probabilities, bands);
      },
      free);
  m.def("stored_statistics", &stored_statistics, free);
  m.def("stored_summary", &summary_of<Dataset>, free);
  m.def("stored_summary", &summary_of<DataFrame>, free);
}

}  // namespace tacore::python
