#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "arrow_c.hpp"
#include "bind.hpp"

/// Tables by the Arrow PyCapsule interface.
namespace tacore::python {

/// A stream that is released by its destructor, read or not.
struct ReleaseStream {
  void operator()(ArrowArrayStream* stream) const noexcept {
    if (stream->release != nullptr) stream->release(stream);
    delete stream;
  }
};
using Stream = std::unique_ptr<ArrowArrayStream, ReleaseStream>;

/// A stream of the same rows that releases the GIL while it reads: reading may send log messages, which wait for the
/// GIL.
Stream reads_free(Stream from);

/// JSON metadata of the extension type geoarrow.wkb, by the names of the columns that have it.
using Geometries = std::map<std::string, std::string, std::less<>>;

/// A stream of the same rows whose binary columns with these names are marked as geometries (geoarrow.wkb), unless they
/// have metadata already.
Stream marks_geometries(Stream from, Geometries geometries);

/// A capsule `arrow_array_stream`.
nb::object capsule_of(Stream stream);

/// A capsule `arrow_array_stream` of the stream that `fill` exports; the GIL is released meanwhile.
template <class Fill>
nb::object stream_capsule(Fill&& fill) {
  Stream stream(new ArrowArrayStream{});
  {
    const nb::gil_scoped_release release;
    fill(stream.get());
  }
  return capsule_of(reads_free(std::move(stream)));
}

/// The rows of an object with `__arrow_c_stream__`, or of such a capsule. Throws TypeError for any other object.
Stream stream_of(nb::handle table);

}  // namespace tacore::python
