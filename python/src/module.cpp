#include "bind.hpp"
#include "tacore/version.hpp"

NB_MODULE(_core, m) {
  using namespace tacore::python;
  // Other packages may keep objects until the interpreter ends (pyarrow keeps tensors): no leak to warn of.
  nb::set_leak_warnings(false);
  m.attr("__version__") = tacore::version();
  bind_errors(m);
  bind_dataframe(m);
  bind_dataset(m);
  bind_raster(m);
  bind_loader(m);
  bind_sample(m);
  bind_extensions(m);
  bind_create(m);
  bind_options(m);
  bind_transform(m);
  bind_describe(m);
  bind_site(m);
  bind_view(m);
  bind_distributed(m);
  bind_validate(m);
  bind_v1(m);
}
