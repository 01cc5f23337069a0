#include "capsule.hpp"

#include <cstring>
#include <string>
#include <string_view>

namespace tacore::python {
namespace {

class FreeInterpreter {
 public:
  FreeInterpreter() {
    if (!Py_IsInitialized() || PyGILState_GetThisThreadState() == nullptr) return;
    // In the stable ABI only taking the lock tells whether this thread had it.
    const PyGILState_STATE before = PyGILState_Ensure();
    PyGILState_Release(before);
    if (before == PyGILState_LOCKED) state_ = PyEval_SaveThread();
  }
  FreeInterpreter(const FreeInterpreter&) = delete;
  FreeInterpreter& operator=(const FreeInterpreter&) = delete;
  ~FreeInterpreter() {
    if (state_ != nullptr) PyEval_RestoreThread(state_);
  }

 private:
  PyThreadState* state_ = nullptr;
};

/// Metadata of a field as the C data interface lays them out: the number of pairs, and the length and bytes of each key
/// and value; numbers are int32 in the byte order of the machine.
std::string metadata_of(std::initializer_list<std::pair<std::string_view, std::string_view>> pairs) {
  std::string out;
  const auto number = [&out](std::size_t value) {
    const auto narrow = static_cast<int32_t>(value);
    out.append(reinterpret_cast<const char*>(&narrow), sizeof narrow);
  };
  number(pairs.size());
  for (const auto& [key, value] : pairs) {
    for (const auto text : {key, value}) {
      number(text.size());
      out += text;
    }
  }
  return out;
}

/// What a field had before mark_geometry() gave it metadata; its own release() needs it.
struct Unmarked {
  std::string metadata;
  void (*release)(ArrowSchema*);
  void* private_data;
};

/// Gives a field the metadata of the extension type geoarrow.wkb. The field had none.
void mark_geometry(ArrowSchema& field, const std::string& type_metadata) {
  auto* before =
      new Unmarked{metadata_of({{"ARROW:extension:name", "geoarrow.wkb"}, {"ARROW:extension:metadata", type_metadata}}),
                   field.release, field.private_data};
  field.metadata = before->metadata.data();
  field.private_data = before;
  field.release = [](ArrowSchema* self) {
    const std::unique_ptr<Unmarked> last(static_cast<Unmarked*>(self->private_data));
    self->metadata = nullptr;
    self->private_data = last->private_data;
    self->release = last->release;
    self->release(self);
  };
}

bool is_binary(std::string_view format) { return format == "z" || format == "Z" || format == "vz"; }

/// A stream, and the extension metadata of its columns of geometries.
struct Marked {
  Stream stream;
  Geometries geometries;
};

Marked& marked(ArrowArrayStream* stream) { return *static_cast<Marked*>(stream->private_data); }

ArrowArrayStream& inner(ArrowArrayStream* stream) { return *static_cast<ArrowArrayStream*>(stream->private_data); }

}  // namespace

Stream reads_free(Stream from) {
  Stream out(new ArrowArrayStream{});
  out->get_schema = [](ArrowArrayStream* self, ArrowSchema* schema) {
    const FreeInterpreter free;
    return inner(self).get_schema(&inner(self), schema);
  };
  out->get_next = [](ArrowArrayStream* self, ArrowArray* array) {
    const FreeInterpreter free;
    return inner(self).get_next(&inner(self), array);
  };
  out->get_last_error = [](ArrowArrayStream* self) { return inner(self).get_last_error(&inner(self)); };
  out->release = [](ArrowArrayStream* self) {
    const Stream last(&inner(self));
    self->release = nullptr;
  };
  out->private_data = from.release();
  return out;
}

Stream marks_geometries(Stream from, Geometries geometries) {
  Stream out(new ArrowArrayStream{});
  out->private_data = new Marked{std::move(from), std::move(geometries)};
  out->get_schema = [](ArrowArrayStream* self, ArrowSchema* schema) {
    const auto& [stream, columns] = marked(self);
    if (const int failure = stream->get_schema(stream.get(), schema); failure != 0) return failure;
    for (int64_t i = 0; i < schema->n_children; ++i) {
      ArrowSchema& field = *schema->children[i];
      const auto found = columns.find(field.name);
      // Metadata of a table that a user made are kept.
      if (found == columns.end() || !is_binary(field.format) || field.metadata != nullptr) continue;
      mark_geometry(field, found->second);
    }
    return 0;
  };
  out->get_next = [](ArrowArrayStream* self, ArrowArray* array) {
    return marked(self).stream->get_next(marked(self).stream.get(), array);
  };
  out->get_last_error = [](ArrowArrayStream* self) {
    return marked(self).stream->get_last_error(marked(self).stream.get());
  };
  out->release = [](ArrowArrayStream* self) {
    delete &marked(self);
    self->release = nullptr;
  };
  return out;
}

nb::object capsule_of(Stream stream) {
  PyObject* capsule = PyCapsule_New(stream.get(), "arrow_array_stream", [](PyObject* object) {
    Stream(static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(object, "arrow_array_stream")));
  });
  if (capsule == nullptr) throw nb::python_error();
  stream.release();
  return nb::steal(capsule);
}

Stream stream_of(nb::handle table) {
  nb::object capsule = nb::borrow(table);
  if (!PyCapsule_CheckExact(table.ptr())) {
    if (!nb::hasattr(table, "__arrow_c_stream__")) {
      throw nb::type_error(
          "the table has no __arrow_c_stream__; a table of pyarrow, polars, pandas, DuckDB or another Arrow library "
          "expected");
    }
    capsule = table.attr("__arrow_c_stream__")();
  }
  auto* from = static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(capsule.ptr(), "arrow_array_stream"));
  if (from == nullptr) throw nb::python_error();
  if (from->release == nullptr) throw nb::value_error("this Arrow stream has already been read");
  Stream out(new ArrowArrayStream(*from));
  from->release = nullptr;
  return out;
}

}  // namespace tacore::python
