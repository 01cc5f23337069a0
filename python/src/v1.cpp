#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "interruptible.hpp"
#include "options.hpp"
#include "others.hpp"
#include "tacore/v1/chunks.hpp"
#include "tacore/v1/collection.hpp"
#include "tacore/v1/convert.hpp"
#include "tacore/v1/create.hpp"
#include "tacore/v1/histograms.hpp"
#include "tacore/write/byte_size.hpp"
#include "tensor.hpp"
#include "text.hpp"

namespace tacore::python {
namespace {

v1::CreateTacoOptions taco_options(const nb::dict& given) {
  return options_of<v1::CreateTacoOptions>(given, {.fallback = raster_opener()});
}

std::vector<std::string> create(const Taco& taco, const std::string& output, const v1::CreateTacoOptions& options) {
  return v1::create_taco(taco, output, options);
}
std::vector<std::string> create(const Tortilla& samples, const std::string& output,
                                const v1::CreateTacoOptions& options) {
  return v1::create_tortilla(samples, output, options);
}
std::vector<std::string> create(const Dataset& view, const std::string& output, const v1::CreateTacoOptions& options) {
  return v1::compile(view, output, options);
}

template <class Samples>
nb::list create_by(const Samples& samples, const std::string& output, const nb::dict& given, nb::handle callback) {
  v1::CreateTacoOptions options = taco_options(given);
  Progress progress(callback, options.task);
  return texts(progress.run([&] { return create(samples, output, options); }));
}

/// Parses a collection; an empty text is an empty collection.
Collection collection_of(const std::string& json) {
  return json.empty() ? Collection{} : v1::parse_collection(json, "collection");
}

nb::list create_taco(const Tortilla& samples, const std::string& output, const std::string& collection,
                     const nb::dict& given, nb::handle callback) {
  return create_by(Taco{samples, collection_of(collection)}, output, given, callback);
}

nb::list convert(const std::string& input, const std::string& output, const std::string& collection,
                 const nb::dict& given, nb::handle callback) {
  CreateOptions options = create_options(given);
  Progress progress(callback, options.task);
  return texts(progress.run([&] { return tacore::convert(input, output, options, collection_of(collection)); }));
}

void tortilla2taco(const std::string& input, const std::string& output, const std::string& collection,
                   const nb::dict& given, nb::handle callback) {
  auto options = options_of<v1::ConvertOptions>(given);
  Progress progress(callback, options.task);
  progress.run([&] { v1::tortilla2taco(input, output, collection_of(collection), options); });
}

void taco2tortilla(const std::string& input, const std::string& output, const nb::dict& given, nb::handle callback) {
  auto options = options_of<v1::ConvertOptions>(given);
  Progress progress(callback, options.task);
  progress.run([&] { v1::taco2tortilla(input, output, options); });
}

void join(const std::vector<std::string>& parts, const std::string& output, const nb::dict& given,
          nb::handle callback) {
  auto options = options_of<v1::ConvertOptions>(given);
  Progress progress(callback, options.task);
  progress.run([&] { v1::join(parts, output, options); });
}

SharedTensor read_chunk(const DataFrame& frame, std::string_view id, bool keep_padding) {
  return SharedTensor(v1::read_chunk(frame, id, {.keep_padding = keep_padding}));
}

nb::object read(const DataFrame& frame, std::string_view id) {
  v1::Datum datum = [&] {
    const nb::gil_scoped_release release;
    return v1::read(frame, id);
  }();
  if (auto* tensor = std::get_if<Tensor>(&datum)) return nb::cast(SharedTensor(std::move(*tensor)));
  if (auto* children = std::get_if<DataFrame>(&datum)) return nb::cast(std::move(*children));
  if (const auto* bytes = std::get_if<Bytes>(&datum)) return bytes_of(*bytes);
  return text(std::get<VsiPath>(datum).value);
}

/// (component, bands, num_samples, is_relative) of each histogram.
template <class Table>
nb::list histograms(const Table& table) {
  auto all = [&] {
    const nb::gil_scoped_release release;
    return v1::histograms(table);
  }();
  nb::list out;
  for (auto& each : all) {
    out.append(nb::make_tuple(text(each.component), std::move(each.bands), each.num_samples, each.is_relative));
  }
  return out;
}

/// Calls a Python function for each sample; its exceptions become std::exceptions with their type and message.
void read_in_python(const Node& data, void* user) {
  const nb::gil_scoped_acquire acquire;
  const nb::handle callable(static_cast<PyObject*>(user));
  try {
    if (const auto* bytes = std::get_if<Bytes>(&data)) {
      callable(bytes_of(*bytes));
    } else {
      callable(text(std::get<VsiPath>(data).value));
    }
  } catch (nb::python_error& error) {
    const auto type = nb::cast<std::string>(error.type().attr("__name__"));
    throw std::runtime_error(type + ": " + nb::cast<std::string>(nb::str(error.value())));
  }
}

nb::list sanity_check(const DataFrame& frame, nb::handle callable, int jobs) {
  const auto bad = [&] {
    const nb::gil_scoped_release release;
    if (callable.is_none()) return v1::sanity_check(frame, nullptr, nullptr, jobs);
    return v1::sanity_check(frame, read_in_python, callable.ptr(), jobs);
  }();
  nb::list out;
  for (const auto& sample : bad) out.append(nb::make_tuple(text(sample.path), text(sample.reason)));
  return out;
}

void bind_band_histogram(nb::module_& m) {
  using v1::BandHistogram;
  nb::class_<BandHistogram>(
      m, "BandHistogram",
      "Histogram of the valid pixels of a band, in 100 bins of equal width from the minimum to the "
      "maximum of the whole dataset, also for a part of its samples. It can be pickled.")
      .def_ro("min", &BandHistogram::min, "Smallest value in the dataset; NaN without valid pixels.")
      .def_ro("max", &BandHistogram::max, "Largest value in the dataset; NaN without valid pixels.")
      .def_ro("counts", &BandHistogram::counts, "Number of pixels in each of the 100 bins.")
      .def_prop_ro("count", &BandHistogram::count, "Number of pixels.")
      .def_prop_ro("mean", &BandHistogram::mean,
                   "Mean, computed from the middle of each bin: an approximation; NaN without pixels.")
      .def_prop_ro("std", &BandHistogram::standard_deviation,
                   "Standard deviation, computed from the middle of each bin: an approximation; NaN without pixels.")
      .def("quantile", &BandHistogram::quantile, nb::arg("p"),
           "Quantile for a probability `p` from 0 to 1, interpolated linearly within a bin, with an error of at most "
           "one "
           "bin; NaN without pixels. Raises TacoQueryError for p outside [0, 1].")
      .def(
          "scale",
          [](const BandHistogram& self, double low, double high) {
            const Scale scale = self.scale(low, high);
            return std::pair(scale.factor, scale.offset);
          },
          nb::arg("low") = 0.025, nb::arg("high") = 0.985,
          "(factor, offset) for the argument `scale` of Raster.read(), which map the quantile `low` to 0 and `high` to "
          "1. Raises TacoQueryError without pixels.")
      .def("__getstate__", [](const BandHistogram& self) { return nb::make_tuple(self.min, self.max, self.counts); })
      .def("__setstate__", [](BandHistogram& self, const nb::tuple& state) {
        new (&self) BandHistogram{nb::cast<double>(state[0]), nb::cast<double>(state[1]),
                                  nb::cast<std::vector<uint64_t>>(state[2])};
      });
}

}  // namespace

void bind_v1(nb::module_& m) {
  bind_band_histogram(m);
  const auto progress = nb::arg("progress").none();
  m.def("v1_create", &create_by<Taco>, nb::arg("taco"), nb::arg("output"), nb::arg("options"), progress);
  m.def("v1_create", &create_by<Tortilla>, nb::arg("samples"), nb::arg("output"), nb::arg("options"), progress);
  m.def("v1_create", &create_taco, nb::arg("samples"), nb::arg("output"), nb::arg("collection"), nb::arg("options"),
        progress);
  m.def("v1_compile", &create_by<Dataset>, nb::arg("view"), nb::arg("output"), nb::arg("options"), progress);
  m.def("v1_convert", &convert, nb::arg("input"), nb::arg("output"), nb::arg("collection"), nb::arg("options"),
        progress);
  m.def("v1_tortilla2taco", &tortilla2taco, nb::arg("input"), nb::arg("output"), nb::arg("collection"),
        nb::arg("options"), progress);
  m.def("v1_taco2tortilla", &taco2tortilla, nb::arg("input"), nb::arg("output"), nb::arg("options"), progress);
  m.def("v1_join", &join, nb::arg("parts"), nb::arg("output"), nb::arg("options"), progress);
  m.def("v1_read", &read, nb::sig("def v1_read(frame: DataFrame, id: str, /) -> Tensor | DataFrame | bytes | str"));
  m.def("v1_read_chunk", &read_chunk, nb::call_guard<nb::gil_scoped_release>());
  m.def("v1_histograms", &histograms<DataFrame>,
        nb::sig("def v1_histograms(rows: DataFrame, /) -> list[tuple[str, list[BandHistogram], int, bool]]"));
  m.def("v1_histograms", &histograms<Dataset>,
        nb::sig("def v1_histograms(rows: Dataset, /) -> list[tuple[str, list[BandHistogram], int, bool]]"));
  m.def("v1_profiles", [](const Dataset& dataset) {
    const auto names = [&] {
      const nb::gil_scoped_release release;
      return is_v1(dataset.format()) ? v1::profiles(dataset.level_columns(0)) : std::vector<std::string>{};
    }();
    return texts(names);
  });
  m.def("v1_sanity_check", &sanity_check, nb::arg("frame"), nb::arg("read").none(), nb::arg("jobs"),
        nb::sig("def v1_sanity_check(frame: DataFrame, read: object | None, jobs: int) -> list[tuple[str, str]]"));
}

}  // namespace tacore::python
