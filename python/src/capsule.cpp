#include "capsule.hpp"

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
