#pragma once

#include "bind.hpp"
#include "tacore/write/create.hpp"
#include "tacore/write/parquet_options.hpp"
#include "tacore/remote.hpp"

namespace tacore::python {

/// Options by their names.
using Keywords = nb::typed<nb::dict, nb::str, nb::any>;

/// The options of Parquet tables by their names there; None keeps what stands. Throws TypeError for other names.
ParquetOptions parquet_options(const nb::dict& given, ParquetOptions options = {});

/// CreateOptions by the names of its members, `parquet` a dict. Throws TypeError for other names.
CreateOptions create_options(const nb::dict& given);

/// RemoteOptions by the names of its members; None keeps what stands. Throws TypeError for other names.
RemoteOptions remote_options(const nb::dict& given);

}  // namespace tacore::python
