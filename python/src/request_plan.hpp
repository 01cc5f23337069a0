#pragma once

#include "bind.hpp"
#include "tacore/plan.hpp"

namespace tacore::python {

/// What `plan` returns, as (requests, bytes, partitions); it runs without the GIL.
template <class Plan>
nb::tuple as_tuple(const Plan& plan) {
  const RequestPlan found = [&] {
    const nb::gil_scoped_release release;
    return plan();
  }();
  return nb::make_tuple(found.requests, found.bytes, found.partitions);
}

}  // namespace tacore::python
