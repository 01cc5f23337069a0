#pragma once

#include <nanobind/stl/vector.h>

#include <string>
#include <vector>

#include "text.hpp"

/// File names of Python.
namespace tacore::python {

/// The bytes of a str, of bytes, or of an object with `__fspath__`. Surrogates in a str are decoded to bytes.
struct Path {
  std::string value = {};
};

inline std::vector<std::string> values_of(const std::vector<Path>& paths) {
  std::vector<std::string> out;
  for (const auto& path : paths) out.push_back(path.value);
  return out;
}

}  // namespace tacore::python

template <>
struct nanobind::detail::type_caster<tacore::python::Path> {
  NB_TYPE_CASTER(tacore::python::Path, const_name("str | bytes | os.PathLike[str]"))

  bool from_python(handle source, uint8_t, cleanup_list*) noexcept {
    object path = steal(PyOS_FSPath(source.ptr()));
    if (path.is_valid() && PyUnicode_Check(path.ptr()))
      path = steal(PyUnicode_AsEncodedString(path.ptr(), "utf-8", "surrogateescape"));
    char* bytes = nullptr;
    Py_ssize_t size = 0;
    if (!path.is_valid() || PyBytes_AsStringAndSize(path.ptr(), &bytes, &size) != 0) {
      PyErr_Clear();
      return false;
    }
    value.value.assign(bytes, static_cast<std::size_t>(size));
    return true;
  }

  static handle from_cpp(const tacore::python::Path& path, rv_policy, cleanup_list*) noexcept {
    return PyUnicode_DecodeUTF8(path.value.data(), static_cast<Py_ssize_t>(path.value.size()), "surrogateescape");
  }
};
