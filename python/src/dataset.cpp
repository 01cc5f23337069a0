#include "tacore/dataset.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <chrono>
#include <cstdlib>
#include <exception>
#include <thread>

#include "options.hpp"
#include "path.hpp"
#include "request_plan.hpp"
#include "statistics.hpp"
#include "tacore/plan.hpp"
#include "tacore/verbose.hpp"
#include "text.hpp"

namespace tacore::python {
namespace {

nb::dict contact(const Contact& from) {
  nb::dict out;
  const auto set = [&](const char* key, const std::string& value) {
    if (!value.empty()) out[key] = text(value);
  };
  set("name", from.name);
  set("organization", from.organization);
  set("email", from.email);
  set("role", from.role);
  if (!from.roles.empty()) out["roles"] = texts(from.roles);
  set("url", from.url);
  return out;
}

nb::list contacts(const std::vector<Contact>& all) {
  nb::list out;
  for (const auto& each : all) out.append(contact(each));
  return out;
}

nb::dict extent(const Extent& from) {
  nb::dict out;
  if (from.spatial)
    out["spatial"] = nb::make_tuple(from.spatial->minx, from.spatial->miny, from.spatial->maxx, from.spatial->maxy);
  if (from.temporal) out["temporal"] = nb::make_tuple(from.temporal->start.to_string(), from.temporal->end.to_string());
  return out;
}

/// The members of the collection by their names in COLLECTION.json of 2.0, for datasets of all versions.
nb::dict model(const Collection& from) {
  nb::dict out;
  out["id"] = text(from.id);
  out["dataset_version"] = text(from.dataset_version);
  out["description"] = text(from.description);
  out["licenses"] = texts(from.licenses);
  out["providers"] = contacts(from.providers);
  out["tasks"] = texts(from.tasks);
  out["extent"] = extent(from.extent);
  if (from.title) out["title"] = text(*from.title);
  if (from.curators) out["curators"] = contacts(*from.curators);
  if (from.keywords) out["keywords"] = texts(*from.keywords);
  nb::dict fields;
  for (const auto& [level, columns] : from.field_schema) {
    nb::list rows;
    for (const auto& column : columns) {
      nb::list row;
      for (const auto& part : {column.name, column.type, column.description}) row.append(text(part));
      rows.append(row);
    }
    fields[text(level)] = rows;
  }
  out["taco:field_schema"] = fields;
  return out;
}

std::terminate_handler terminate_before = nullptr;

/// Prepares the end of the interpreter while daemon threads still run; their objects are never released. Before 3.14
/// Python ends such a thread, when it returns to the interpreter, by unwinding its stack, for which C++ calls
/// std::terminate: the handler makes it wait for the end of the process instead, as 3.14 does.
void leave_threads() {
  nb::set_leak_warnings(false);
  terminate_before = std::set_terminate([] {
    while (std::current_exception() == nullptr) std::this_thread::sleep_for(std::chrono::hours(1));
    if (terminate_before != nullptr) terminate_before();
    std::abort();
  });
}

nb::object sink;

/// Sends a message to Python's logger. Messages may come from any thread, also after the end of the interpreter.
void report(LogLevel level, std::string_view message, void*) {
  if (!Py_IsInitialized()) return;
  const nb::gil_scoped_acquire acquire;
  if (!sink.is_valid() || sink.is_none()) return;
  try {
    sink(static_cast<int>(level), text(message));
  } catch (nb::python_error& error) {
    error.discard_as_unraisable("tacore message");
  }
}

LoadOptions load_options(const Path& base_path, bool allow_partial, const std::optional<Keywords>& remote, bool verify,
                         bool trust_bounds, bool trust_sidecar) {
  LoadOptions out{.base_path = base_path.value,
                  .allow_partial = allow_partial,
                  .verify = verify,
                  .trust_bounds = trust_bounds,
                  .trust_sidecar = trust_sidecar};
  if (remote) out.remote = options_of<RemoteOptions>(*remote);
  return out;
}

}  // namespace

void bind_dataset(nb::module_& m) {
  const nb::call_guard<nb::gil_scoped_release> free;
  nb::class_<Dataset> dataset(m, "Dataset");
  dataset.def_prop_ro("path", [](const Dataset& self) { return text(self.path()); })
      .def_prop_ro("format", [](const Dataset& self) { return to_string(self.format()); })
      .def_prop_ro("is_v1", [](const Dataset& self) { return is_v1(self.format()); })
      .def_prop_ro("collection_json", [](const Dataset& self) { return text(self.collection().json); })
      .def("model", [](const Dataset& self) { return model(self.collection()); })
      .def(
          "pit_schema_json", [](const Dataset& self) { return self.pit_schema().to_json(); }, free)
      .def("__len__", &Dataset::num_rows, free)
      .def("level_columns",
           [](const Dataset& self, int level) {
             const auto columns = [&] {
               const nb::gil_scoped_release release;
               return self.level_columns(level);
             }();
             return columns_of(columns);
           })
      .def("sql", &Dataset::sql, free)
      .def("sort", &Dataset::sort, free)
      .def("limit", &Dataset::limit, free)
      .def("with_column", &Dataset::with_column, free)
      .def("flatten", &Dataset::flatten, free)
      .def(
          "filter_bbox",
          [](const Dataset& self, double minx, double miny, double maxx, double maxy, const std::string& column,
             int level) { return self.filter_bbox(minx, miny, maxx, maxy, {.column = column, .level = level}); },
          free)
      .def(
          "filter_datetime",
          [](const Dataset& self, std::string_view range, const std::string& column, int level) {
            return self.filter_datetime(range, {.column = column, .level = level});
          },
          free)
      .def("data", &Dataset::data, free)
      .def(
          "plan", [](const Dataset& self) { return as_tuple([&] { return plan_rows(self); }); },
          nb::sig("def plan(self) -> tuple[int, int, int]"))
      .def("data_raw", &Dataset::data_raw, free)
      .def("navigation_columns", &Dataset::navigation_columns, free)
      .def("is_rsut", &Dataset::is_rsut, free)
      .def("verify_rsut", &Dataset::verify_rsut, free);
  bind_statistics(dataset);

  m.def(
      "load",
      [](const Path& path, const Path& base_path, bool allow_partial, const std::optional<Keywords>& remote,
         bool verify, bool trust_bounds, bool trust_sidecar) {
        const LoadOptions options = load_options(base_path, allow_partial, remote, verify, trust_bounds, trust_sidecar);
        const nb::gil_scoped_release released;
        return load(path.value, options);
      },
      nb::arg("path"), nb::arg("base_path") = "", nb::arg("allow_partial") = false, nb::arg("remote") = nb::none(),
      nb::arg("verify") = true, nb::arg("trust_bounds") = false, nb::arg("trust_sidecar") = false);
  m.def(
      "load",
      [](const std::vector<Path>& paths, const Path& base_path, bool allow_partial,
         const std::optional<Keywords>& remote, bool verify, bool trust_bounds, bool trust_sidecar) {
        const LoadOptions options = load_options(base_path, allow_partial, remote, verify, trust_bounds, trust_sidecar);
        const nb::gil_scoped_release released;
        return load(values_of(paths), options);
      },
      nb::arg("paths"), nb::arg("base_path") = "", nb::arg("allow_partial") = false, nb::arg("remote") = nb::none(),
      nb::arg("verify") = true, nb::arg("trust_bounds") = false, nb::arg("trust_sidecar") = false);
  m.def(
      "plan_opening",
      [](const Path& path, const Path& base_path, const std::optional<Keywords>& remote) {
        const LoadOptions options = load_options(base_path, false, remote, true, false, false);
        return as_tuple([&] { return plan_opening(path.value, options); });
      },
      nb::arg("path"), nb::arg("base_path") = "", nb::arg("remote") = nb::none(),
      nb::sig("def plan_opening(path: str, base_path: str = '', remote: dict[str, Any] | None = None) -> "
              "tuple[int, int, int]"));
  m.def(
      "set_remote_options", [](const Keywords& remote) { set_remote_options(options_of<RemoteOptions>(remote)); },
      nb::arg("remote"));
  m.def(
      "concat",
      [](const std::vector<Dataset>& datasets, std::string_view mode) {
        return concat(datasets, parse_column_mode(mode));
      },
      free);
  m.def("verbose", [](bool level) { verbose(level); });
  m.def("verbose", [](const char* level) { verbose(level); });
  m.def("set_log_sink", [](nb::object to) {
    sink = std::move(to);
    const LogSink report_to = sink.is_none() ? nullptr : report;
    const nb::gil_scoped_release release;  // a message that is being sent needs the GIL
    set_log_sink(report_to);
  });
  // Python objects must be released before the interpreter ends.
  nb::module_::import_("atexit").attr("register")(nb::cpp_function([] {
    {
      const nb::gil_scoped_release release;  // a message that is being sent needs the GIL
      set_log_sink(nullptr);
    }
    sink.reset();
    const nb::object num_threads = nb::module_::import_("threading").attr("active_count")();
    if (nb::cast<int>(num_threads) > 1) leave_threads();
  }));
}

}  // namespace tacore::python
