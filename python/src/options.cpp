#include "options.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <vector>

namespace tacore::python {
namespace {

template <class T>
void take(const nb::handle& value, T& into) {
  if (!value.is_none()) into = nb::cast<T>(value);
}

[[noreturn]] void throw_unknown(const std::string& name) {
  throw nb::type_error(("unexpected keyword argument '" + name + "'").c_str());
}

}  // namespace

ParquetOptions parquet_options(const nb::dict& given, ParquetOptions options) {
  for (const auto& [key, value] : given) {
    const auto name = nb::cast<std::string>(key);
    if (name == "compression") {
      take(value, options.compression);
    } else if (name == "compression_level") {
      options.compression_level = nb::cast<std::optional<int>>(value);
    } else if (name == "row_group_size") {
      take(value, options.row_group_rows);
    } else if (name == "use_content_defined_chunking") {
      take(value, options.content_defined_chunks);
    } else if (name == "data_page_size") {
      take(value, options.page_bytes);
    } else if (name == "write_statistics") {
      take(value, options.statistics);
    } else if (name == "use_dictionary") {
      // Which columns have one follows from their values; programs that say it have the same rows.
    } else {
      throw_unknown(name);
    }
  }
  return options;
}

CreateOptions create_options(const nb::dict& given) {
  CreateOptions options;
  for (const auto& [key, value] : given) {
    const auto name = nb::cast<std::string>(key);
    if (name == "overwrite") {
      take(value, options.overwrite);
    } else if (name == "split_size") {
      take(value, options.split_size);
    } else if (name == "group_by") {
      take(value, options.group_by);
    } else if (name == "consolidate") {
      take(value, options.consolidate);
    } else if (name == "jobs") {
      take(value, options.jobs);
    } else if (name == "temp_dir") {
      take(value, options.temp_dir);
    } else if (name == "parquet") {
      options.parquet = parquet_options(nb::cast<nb::dict>(value));
    } else {
      throw_unknown(name);
    }
  }
  return options;
}

}  // namespace tacore::python
