#include "tacore/ops/view.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bind.hpp"
#include "path.hpp"
#include "text.hpp"

namespace tacore::python {
namespace {

/// A server that ends when it is asked to.
class Viewer {
 public:
  Viewer(const Dataset& dataset, uint16_t port) : server_(std::make_unique<ViewServer>(dataset, port)) {}
  const std::string& url() const { return url_; }
  void close() { server_.reset(); }

 private:
  std::unique_ptr<ViewServer> server_;
  std::string url_ = server_->url();
};

nb::str page_of(const std::optional<Dataset>& dataset, const Path& folder, const std::string& base_url,
                const std::vector<std::string>& servers) {
  const std::string out = [&] {
    const nb::gil_scoped_release release;
    return dataset ? viewer_page(*dataset, folder.value, {.base_url = base_url, .servers = servers}) : viewer_page();
  }();
  return text(out);
}

}  // namespace

void bind_view(nb::module_& m) {
  const auto free = nb::call_guard<nb::gil_scoped_release>();
  nb::class_<Viewer>(m, "Viewer")
      .def(nb::init<const Dataset&, uint16_t>(), nb::arg("dataset"), nb::arg("port"), free)
      .def_prop_ro("url", &Viewer::url)
      .def("close", &Viewer::close, free);
  m.def("viewer_page", &page_of, nb::arg("dataset").none(), nb::arg("folder"), nb::arg("base_url"), nb::arg("servers"));
}

}  // namespace tacore::python
