#pragma once

#include <memory>
#include <utility>

#include "arrow_c.hpp"
#include "bind.hpp"

/// Tables by the Arrow PyCapsule interface.
namespace tacore::python {

/// A stream whose rows are let go of with it, read or not.
struct ReleaseStream {
  void operator()(ArrowArrayStream* stream) const noexcept {
    if (stream->release != nullptr) stream->release(stream);
    delete stream;
  }
};
using Stream = std::unique_ptr<ArrowArrayStream, ReleaseStream>;

/// The same rows, read with the interpreter free even by those who hold it: reading one may make messages, and a
/// message waits for the interpreter.
Stream reads_free(Stream from);

/// A capsule `arrow_array_stream` of what `fill` exports; the interpreter is free meanwhile.
template <class Fill>
nb::object stream_capsule(Fill&& fill) {
  Stream stream(new ArrowArrayStream{});
  {
    const nb::gil_scoped_release release;
    fill(stream.get());
  }
  stream = reads_free(std::move(stream));
  PyObject* capsule = PyCapsule_New(stream.get(), "arrow_array_stream", [](PyObject* object) {
    Stream(static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(object, "arrow_array_stream")));
  });
  if (capsule == nullptr) throw nb::python_error();
  stream.release();
  return nb::steal(capsule);
}

/// The rows of any object that has `__arrow_c_stream__`, or of such a capsule. Throws TypeError for another.
Stream stream_of(nb::handle table);

}  // namespace tacore::python
