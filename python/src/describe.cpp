#include "tacore/ops/describe.hpp"

#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <string_view>
#include <vector>

#include "options.hpp"
#include "others.hpp"
#include "path.hpp"
#include "tacore/plumbing/apart.hpp"
#include "tacore/plumbing/secrets.hpp"
#include "tacore/plumbing/temporary.hpp"

namespace tacore::python {
namespace {

/// Options of descriptions; if `transformer` is true, it is pyproj. Rasters that tacore does not decode are opened by
/// rasterio, if it is installed.
DescribeOptions describe_options(const Keywords& given) {
  nb::dict options;
  options.update(given);
  DescribeOptions out{.fallback = raster_opener()};
  if (options.contains("transformer")) {
    if (nb::cast<bool>(options["transformer"])) out.transformer = crs_transformer();
    nb::del(options["transformer"]);
  }
  fill(out, options);
  return out;
}

using Form = std::string (*)(const Dataset&, const DescribeOptions&);

template <Form Describe>
nb::str describe(const Dataset& dataset, const Keywords& given) {
  const DescribeOptions options = describe_options(given);
  const std::string out = [&] {
    const nb::gil_scoped_release release;
    return Describe(dataset, options);
  }();
  return text(out);
}

using DocumentForm = std::string (*)(std::string_view, const std::string&, const DescribeOptions&);

template <DocumentForm Describe>
nb::str describe_document(const nb::bytes& json, const Path& path, const Keywords& given) {
  const DescribeOptions options = describe_options(given);
  const std::string_view all(json.c_str(), json.size());
  const std::string out = [&] {
    const nb::gil_scoped_release release;
    return Describe(all, path.value, options);
  }();
  return text(out);
}

/// Calls a Python function with (id, JSON text) of each Item; its exceptions, and Ctrl-C, cancel the work.
class CallableOutput : public ItemOutput {
 public:
  explicit CallableOutput(nb::handle write) : write_(write) {}

  void write(const std::string& id, std::string_view item) override {
    const nb::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    write_(text(id), text(item));
  }

 private:
  nb::handle write_;
};

void footer2stac(const Dataset& dataset, int level, nb::handle write, const Keywords& given) {
  const DescribeOptions options = describe_options(given);
  CallableOutput output(write);
  const nb::gil_scoped_release release;
  tacore::footer2stac(dataset, level, output, options);
}

void write_stac(const Dataset& dataset, const Path& directory, int level, const Keywords& given) {
  const DescribeOptions options = describe_options(given);
  const nb::gil_scoped_release release;
  tacore::write_stac(dataset, directory.value, level, options);
}

template <void (*Write)(const Dataset&, int, const std::string&, const DescribeOptions&)>
void write_table(const Dataset& dataset, int level, const Path& path, const Keywords& given) {
  const DescribeOptions options = describe_options(given);
  const nb::gil_scoped_release release;
  Write(dataset, level, path.value, options);
}

std::vector<std::string> write_viewer_tables(const Dataset& dataset, const Path& folder, const Keywords& given) {
  const DescribeOptions options = describe_options(given);
  const nb::gil_scoped_release release;
  return tacore::write_viewer_tables(dataset, folder.value, options);
}

}  // namespace

void bind_describe(nb::module_& m) {
  m.def("collection2stac", &describe<tacore::collection2stac>);
  m.def("collection2croissant", &describe<tacore::collection2croissant>);
  m.def("collection2datacite", &describe<tacore::collection2datacite>);
  m.def("collection2datacard", &describe<tacore::collection2datacard>);
  m.def("collection2markdown", &describe<tacore::collection2markdown>);
  m.def("collection2html", &describe<tacore::collection2html>);
  m.def("collection2markdown", &describe_document<tacore::collection2markdown>);
  m.def("collection2html", &describe_document<tacore::collection2html>);
  m.def("collection_details", [](const Dataset& dataset) {
    nb::list out;
    for (const auto& [name, line] : tacore::collection_details(dataset)) {
      out.append(nb::make_tuple(text(name), text(line)));
    }
    return out;
  });
  // A path may have surrogates, by which Python expresses bytes that are not UTF-8.
  m.def(
      "redact", [](const Path& shown) { return Path{tacore::redact(shown.value)}; },
      nb::sig("def redact(shown: str) -> str"));
  m.def("require_text_apart", [](const Path& output, const Dataset& dataset) {
    const nb::gil_scoped_release release;
    require_apart(output.value, described_files(files_of(dataset)));
  });
  m.def("require_text_apart", [](const Path& output, const Path& document) {
    require_apart(output.value, described_files({document.value}));
  });
  m.def("temporary_for", [](const Path& target) {
    const nb::gil_scoped_release release;
    return Path{temporary_for(target.value)};
  });
  m.def("hold_temporary", [](int descriptor, const Path& temporary, const Path& target) {
    const nb::gil_scoped_release release;
    return hold_temporary(descriptor, temporary.value, target.value);
  });
  m.def("eo_common_name", &tacore::eo_common_name);
  m.def("footer2stac", &footer2stac);
  m.def("write_stac", &write_stac);
  m.def("write_descriptions", [](const Dataset& dataset, const Path& directory, const Keywords& given) {
    const DescribeOptions options = describe_options(given);
    const nb::gil_scoped_release release;
    write_descriptions(dataset, directory.value, options);
  });
  m.def("write_viewer_tables", &write_viewer_tables);
  m.def("footer2geoparquet", &write_table<tacore::footer2geoparquet>);
  m.def("footer2geoparquetstac", &write_table<tacore::footer2geoparquetstac>);
  m.def("footprints", [](const DataFrame& rows, bool transform) {
    const auto all = [&] {
      const nb::gil_scoped_release release;
      return footprints(rows, transform ? crs_transformer() : nullptr);
    }();
    nb::list out;
    for (const auto& each : all) {
      out.append(each ? nb::object(nb::bytes(each->bytes.data(), each->bytes.size())) : nb::none());
    }
    return out;
  });
  m.def("land_outline", &land_outline);
}

}  // namespace tacore::python
