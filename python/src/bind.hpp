#pragma once

#include <nanobind/nanobind.h>

/// The extension module `tacore._core`: bindings of the public C++ headers, one file for each group. Users import the
/// Python package around it.
namespace tacore::python {

namespace nb = nanobind;

void bind_errors(nb::module_& m);
void bind_dataframe(nb::module_& m);
void bind_dataset(nb::module_& m);
void bind_raster(nb::module_& m);
void bind_loader(nb::module_& m);
void bind_sample(nb::module_& m);
void bind_extensions(nb::module_& m);
void bind_create(nb::module_& m);
void bind_options(nb::module_& m);
void bind_transform(nb::module_& m);
void bind_describe(nb::module_& m);
void bind_site(nb::module_& m);
void bind_view(nb::module_& m);
void bind_distributed(nb::module_& m);
void bind_validate(nb::module_& m);
void bind_v1(nb::module_& m);

}  // namespace tacore::python
