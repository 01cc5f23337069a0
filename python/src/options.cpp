#include "options.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <vector>

#include "others.hpp"

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
  CreateOptions options{.transformer = crs_transformer()};
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
    } else if (name == "limit") {
      take(value, options.limit);
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

RemoteOptions remote_options(const nb::dict& given) {
  RemoteOptions options;
  for (const auto& [key, value] : given) {
    const auto name = nb::cast<std::string>(key);
    if (name == "headers") {
      for (const auto& [header, text] : nb::cast<nb::dict>(value)) {
        options.headers.emplace_back(nb::cast<std::string>(header), nb::cast<std::string>(text));
      }
    } else if (name == "endpoint") {
      take(value, options.endpoint);
    } else if (name == "region") {
      take(value, options.region);
    } else if (name == "access_key_id") {
      take(value, options.access_key_id);
    } else if (name == "secret_access_key") {
      take(value, options.secret_access_key);
    } else if (name == "session_token") {
      take(value, options.session_token);
    } else if (name == "profile") {
      take(value, options.profile);
    } else if (name == "anonymous") {
      take(value, options.is_anonymous);
    } else if (name == "token") {
      take(value, options.token);
    } else if (name == "limit") {
      take(value, options.limit);
    } else if (name == "max_tries") {
      take(value, options.max_tries);
    } else if (name == "timeout") {
      take(value, options.timeout);
    } else if (name == "cache_dir") {
      take(value, options.cache_dir);
    } else if (name == "cache_size") {
      take(value, options.cache_size);
    } else {
      throw_unknown(name);
    }
  }
  return options;
}

}  // namespace tacore::python
