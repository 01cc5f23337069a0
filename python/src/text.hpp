#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bind.hpp"
#include "tacore/dataframe.hpp"

namespace tacore::python {

/// A str of any bytes: invalid UTF-8 becomes surrogates, as in Python's file names.
inline nb::str text(std::string_view bytes) {
  PyObject* out = PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "surrogateescape");
  if (out == nullptr) throw nb::python_error();
  return nb::steal<nb::str>(out);
}

/// The bytes of a str, also of one that `text` made of invalid UTF-8.
inline std::string bytes_in(nb::str from) {
  const nb::object encoded = nb::steal(PyUnicode_AsEncodedString(from.ptr(), "utf-8", "surrogateescape"));
  if (!encoded.is_valid()) throw nb::python_error();
  return {PyBytes_AsString(encoded.ptr()), static_cast<size_t>(PyBytes_Size(encoded.ptr()))};
}

inline nb::object text_or_none(const std::optional<std::string>& bytes) {
  if (!bytes) return nb::none();
  return text(*bytes);
}

inline nb::list texts(const std::vector<std::string>& all) {
  nb::list out;
  for (const auto& each : all) out.append(text(each));
  return out;
}

inline nb::bytes bytes_of(const Bytes& bytes) { return nb::bytes(bytes.data(), bytes.size()); }

/// The (name, type) of each column.
inline nb::list columns_of(const std::vector<Column>& columns) {
  nb::list out;
  for (const auto& column : columns) out.append(nb::make_tuple(text(column.name), text(column.type)));
  return out;
}

}  // namespace tacore::python
