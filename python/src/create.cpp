#include "tacore/write/create.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include "interruptible.hpp"
#include "options.hpp"
#include "others.hpp"
#include "path.hpp"
#include "tacore/ops/inspect.hpp"
#include "tacore/write/byte_size.hpp"
#include "text.hpp"
#include "value.hpp"

namespace tacore::python {
namespace {

void init(Taco* self, const Tortilla& tortilla, std::string_view json, const nb::dict& more) {
  Taco out{.tortilla = tortilla, .collection = parse_draft_collection(json, "Taco")};
  for (const auto& [key, value] : more) out.extend_with(nb::cast<std::string>(key), value_of(value));
  new (self) Taco(std::move(out));
}

nb::list run_create(const Taco& taco, const std::string& output, const nb::dict& given, nb::handle callback) {
  CreateOptions options = create_options(given);
  Progress progress(callback, options.task);
  return texts(progress.run([&] { return create(taco, output, options); }));
}

nb::dict run_validate(const Taco& taco, const std::string& output, const nb::dict& given) {
  const CreateOptions options = create_options(given);
  const PlanCheck found = [&] {
    const nb::gil_scoped_release release;
    return check_plan(taco, output, options);
  }();
  nb::dict out;
  out["issues"] = texts(found.issues);
  out["num_samples"] = found.num_samples;
  out["num_bytes"] = found.num_bytes;
  out["parts"] = texts(found.parts);
  return out;
}

nb::tuple run_make_compliant(const Taco& taco) {
  Compliant out = [&] {
    const nb::gil_scoped_release release;
    return make_compliant(taco);
  }();
  return nb::make_tuple(nb::cast(std::move(out.taco.tortilla)), texts(out.changes));
}

/// The samples with their descriptions, and the JSON of the collection with its classes.
nb::tuple run_describe_fields(Taco taco, const std::string& path) {
  {
    const nb::gil_scoped_release release;
    taco.describe_fields(path);
  }
  return nb::make_tuple(nb::cast(std::move(taco.tortilla)), text(taco.collection.json));
}

}  // namespace

void bind_create(nb::module_& m) {
  nb::class_<Taco>(m, "Taco").def("__init__", &init).def("faults", [](const Taco& self) {
    const auto faults = [&] {
      const nb::gil_scoped_release release;
      return validation_errors(self);
    }();
    return texts(faults);
  });
  m.def("create", &run_create, nb::arg("taco"), nb::arg("output"), nb::arg("options"), nb::arg("progress").none());
  m.def("validate_taco", &run_validate);
  m.def("make_compliant", &run_make_compliant);
  m.def("describe_fields", &run_describe_fields);
  m.def("parse_size", [](std::string_view size) { return parse_size(size); });
}

}  // namespace tacore::python
