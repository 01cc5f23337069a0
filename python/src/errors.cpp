#include <exception>
#include <optional>

#include "tacore/error.hpp"
#include "tacore/interrupt.hpp"
#include "text.hpp"

namespace tacore::python {
namespace {

const char* class_of(const Error& error) {
  if (const auto* io = dynamic_cast<const IoError*>(&error)) {
    return io->not_found() ? "TacoFileNotFoundError" : "TacoIOError";
  }
  if (dynamic_cast<const FormatError*>(&error)) return "TacoFormatError";
  if (dynamic_cast<const SchemaError*>(&error)) return "TacoSchemaError";
  if (dynamic_cast<const QueryError*>(&error)) return "TacoQueryError";
  if (dynamic_cast<const ValidationError*>(&error)) return "TacoValidationError";
  if (dynamic_cast<const NavigationError*>(&error)) return "TacoNavigationError";
  return "TacoError";
}

template <class T>
nb::object or_none(const std::optional<T>& value) {
  return value ? nb::cast(*value) : nb::none();
}

void set_python_error(const Error& error) {
  const nb::object type = nb::module_::import_("tacore._errors").attr(class_of(error));
  const nb::object raised = type(text(error.what()));
  const ErrorContext& where = error.context();
  raised.attr("message") = text(error.message());
  if (!where.path.empty()) raised.attr("path") = text(where.path);
  raised.attr("offset") = or_none(where.offset);
  raised.attr("level") = or_none(where.level);
  if (const auto* io = dynamic_cast<const IoError*>(&error); io != nullptr && io->error_number() != 0) {
    raised.attr("errno") = io->error_number();
  }
  PyErr_SetObject(type.ptr(), raised.ptr());
}

/// The exception of a signal handler in this thread (KeyboardInterrupt), kept until the interrupted query has returned.
thread_local std::optional<nb::python_error> raised_by_signal;

bool is_interrupted(void*) {
  if (!Py_IsInitialized()) return false;
  const nb::gil_scoped_acquire acquire;
  if (PyErr_CheckSignals() == 0) return false;
  raised_by_signal.emplace();
  return true;
}

void translate(const std::exception_ptr& pointer, void*) {
  try {
    std::rethrow_exception(pointer);
  } catch (const Error& error) {
    if (raised_by_signal) {
      raised_by_signal->restore();
      raised_by_signal.reset();
      return;
    }
    try {
      set_python_error(error);
    } catch (nb::python_error& failure) {
      failure.restore();
    }
  }
}

}  // namespace

void bind_errors(nb::module_&) {
  nb::register_exception_translator(translate);
  set_interrupt_check(is_interrupted);
}

}  // namespace tacore::python
