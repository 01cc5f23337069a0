#include "value.hpp"

#include <nanobind/stl/string.h>

#include <cstdint>
#include <utility>

#include "text.hpp"

namespace tacore::python {
namespace {

constexpr int kMaxNesting = 64;  // a limit of this recursion; datasets have a lower one

/// A value and the name of its Arrow type; "" if its items have no common type. `own`: whether the library would choose
/// this type, too.
struct Typed {
  Value value = {};
  std::string type = "null";
  bool own = true;
};

std::string str_of(const nb::object& object) { return nb::cast<std::string>(nb::str(nb::handle(object))); }

[[noreturn]] void throw_type(nb::handle object, const char* why) {
  const std::string name = str_of(nb::type_name(object.type()));
  throw nb::type_error(("a metadata value is " + name + why).c_str());
}

Typed typed(nb::handle object, int nesting);

std::string utf8(nb::handle object) {
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(object.ptr(), &size);
  if (text == nullptr) throw nb::python_error();
  return {text, static_cast<std::size_t>(size)};
}

int64_t whole(nb::handle object) {
  const long long value = PyLong_AsLongLong(object.ptr());
  if (value == -1 && PyErr_Occurred()) throw nb::python_error();
  return value;
}

nb::object epoch(bool aware) {
  const nb::module_ datetime = nb::module_::import_("datetime");
  const nb::object zone = aware ? nb::object(datetime.attr("timezone").attr("utc")) : nb::object(nb::none());
  return datetime.attr("datetime")(1970, 1, 1, 0, 0, 0, 0, zone);
}

/// Microseconds of a timedelta, exact, and without the C API of datetime, which the stable ABI lacks.
int64_t microseconds(nb::handle delta) {
  const auto part = [&](const char* name) { return nb::cast<int64_t>(delta.attr(name)); };
  return (part("days") * 86400 + part("seconds")) * 1000000 + part("microseconds");
}

Typed time(nb::handle object) {
  const bool aware = !object.attr("utcoffset")().is_none();
  const nb::object delta = nb::borrow(object) - epoch(aware);
  return {Timestamp{microseconds(delta)}, aware ? "timestamp[us, tz=UTC]" : "timestamp[us]", !aware};
}

Typed date(nb::handle object) {
  const auto days = nb::cast<int64_t>(object.attr("toordinal")()) - 719163;
  return {Timestamp{days * 86400000000}, "date32", false};
}

/// The common type of the items that are not null.
class CommonType {
 public:
  void add(const Typed& item) {
    if (item.value.is_null()) return;
    all_own_ = all_own_ && item.own;
    if (!found_) type_ = item.type;
    if (found_ && type_ != item.type) type_.clear();
    found_ = true;
  }
  std::string type() const { return found_ ? type_ : "null"; }
  bool own() const { return all_own_ || type().empty(); }

 private:
  bool found_ = false, all_own_ = true;
  std::string type_;
};

Typed list(nb::handle object, int nesting) {
  Value::List items;
  CommonType common;
  for (nb::handle each : nb::borrow<nb::object>(object)) {
    Typed item = typed(each, nesting + 1);
    common.add(item);
    items.push_back(std::move(item.value));
  }
  const std::string type = common.type();
  return {std::move(items), type.empty() ? "" : "list<item: " + type + ">", common.own()};
}

Typed structure(nb::handle object, int nesting) {
  Struct fields;
  std::string type = "struct<";
  bool own = true, named = true;
  for (const auto& [key, each] : nb::borrow<nb::dict>(object)) {
    if (!PyUnicode_Check(key.ptr())) throw_type(key, ", used as the name of a field; text expected");
    const std::string name = utf8(key);
    Typed field = typed(each, nesting + 1);
    named = named && !field.type.empty() && name.find(':') == name.npos;
    own = own && field.own;
    if (!fields.empty()) type += ", ";
    type += name + ": " + field.type;
    fields.emplace_back(name, std::move(field.value));
  }
  return {std::move(fields), named ? type + ">" : "", own || !named};
}

/// The name of the Arrow type of a NumPy type; "" for object arrays, whose values determine it.
std::string numpy_type(nb::handle dtype) {
  const auto kind = str_of(dtype.attr("kind"));
  const auto bits = std::to_string(8 * nb::cast<int>(dtype.attr("itemsize")));
  if (kind == "b") return "bool";
  if (kind == "i") return "int" + bits;
  if (kind == "u") return "uint" + bits;
  if (kind == "f" && bits == "64") return "double";
  if (kind == "f" && (bits == "32" || bits == "16")) return "float";
  if (kind == "U") return "string";
  if (kind == "S") return "binary";
  if (kind == "O" || kind == "T") return "";
  throw_type(dtype, ", a NumPy type that Arrow metadata does not support");
}

/// The unit of a NumPy type: "ns" of `datetime64[ns]`.
std::string time_unit(nb::handle dtype) {
  const auto name = str_of(dtype.attr("name"));
  const auto open = name.find('[');
  const std::string unit = open == name.npos ? "" : name.substr(open + 1, name.size() - open - 2);
  if (unit == "ns" || unit == "us") return unit;
  return unit == "D" ? unit : "ms";  // Parquet has no coarser unit
}

Typed numpy(nb::handle object, nb::handle dtype, int nesting) {
  const bool times = str_of(dtype.attr("kind")) == "M";
  const std::string unit = times ? time_unit(dtype) : "";
  std::string type = unit == "D" ? "date32" : "timestamp[" + unit + "]";
  if (!times) type = numpy_type(dtype);
  const nb::object values = times && unit != "D" ? object.attr("astype")("datetime64[us]") : nb::borrow(object);
  Typed out = typed(values.attr("tolist")(), nesting + 1);
  if (type.empty()) return out;
  for (int n = nb::cast<int>(object.attr("ndim")); n > 0; --n) type = "list<item: " + type + ">";
  return {std::move(out.value), type, out.own && out.type == type};
}

Typed arrow_scalar(nb::handle object, int nesting) {
  Typed out = typed(object.attr("as_py")(), nesting + 1);
  out.type = str_of(object.attr("type"));
  out.own = false;
  return out;
}

bool is_a(nb::handle object, const char* module, const char* name) {
  return nb::isinstance(object, nb::module_::import_(module).attr(name));
}

/// A value of another type of object, by its base classes and methods.
Typed foreign(nb::handle object, int nesting) {
  if (PyByteArray_Check(object.ptr()) || PyMemoryView_Check(object.ptr())) {
    const nb::bytes bytes(nb::handle(reinterpret_cast<PyObject*>(&PyBytes_Type))(object));
    return {Binary{std::string(bytes.c_str(), bytes.size())}, "binary"};
  }
  if (is_a(object, "datetime", "date")) {
    const nb::object itself = nb::steal(PyObject_RichCompare(object.ptr(), object.ptr(), Py_EQ));
    if (itself.is(nb::handle(Py_False))) return {};  // NaT of pandas
    return is_a(object, "datetime", "datetime") ? time(object) : date(object);
  }
  if (nb::hasattr(object, "dtype") && nb::hasattr(object.attr("dtype"), "kind") && nb::hasattr(object, "ndim")) {
    const nb::object dtype = object.attr("dtype");
    if (nb::hasattr(object, "astype") && nb::hasattr(dtype, "itemsize")) return numpy(object, dtype, nesting);
  }
  if (nb::hasattr(object, "as_py")) return arrow_scalar(object, nesting);
  for (const char* method : {"tolist", "to_list"}) {
    if (nb::hasattr(object, method)) return typed(object.attr(method)(), nesting + 1);
  }
  const auto name = str_of(nb::type_name(object.type()));
  if (name.ends_with("NAType")) return {};
  throw_type(object, "; None, bool, int, float, str, bytes, datetime, date, list or dict expected");
}

Typed typed(nb::handle object, int nesting) {
  if (nesting > kMaxNesting) {
    throw nb::value_error(("lists and dicts are nested more than " + std::to_string(kMaxNesting) + " deep").c_str());
  }
  PyObject* p = object.ptr();
  if (p == Py_None) return {};
  if (PyBool_Check(p)) return {p == Py_True, "bool"};
  if (PyUnicode_Check(p)) return {utf8(object), "string"};
  if (PyLong_Check(p)) return {whole(object), "int64"};
  if (PyFloat_Check(p)) return {PyFloat_AsDouble(p), "double"};
  if (PyBytes_Check(p)) {
    return {Binary{std::string(PyBytes_AsString(p), static_cast<std::size_t>(PyBytes_Size(p)))}, "binary"};
  }
  if (PyList_Check(p) || PyTuple_Check(p)) return list(object, nesting);
  if (PyDict_Check(p)) return structure(object, nesting);
  return foreign(object, nesting);
}

/// Runs `read`; TypeErrors and ValueErrors get the name of `key`.
template <class Read>
auto with_key(const std::string& key, Read&& read) {
  const auto named = [&](const std::string& what) { return "key '" + key + "': " + what; };
  try {
    return read();
  } catch (const nb::builtin_exception& error) {
    if (error.type() == nb::exception_type::type_error) throw nb::type_error(named(error.what()).c_str());
    throw nb::value_error(named(error.what()).c_str());
  } catch (nb::python_error& error) {
    if (!error.matches(PyExc_OverflowError)) throw;
    PyErr_SetString(PyExc_OverflowError, named("an integer beyond 64 bits").c_str());
    throw nb::python_error();
  }
}

}  // namespace

Value value_of(nb::handle object) { return typed(object, 0).value; }

MetadataField metadata_of(std::string key, nb::handle object) {
  Typed found = with_key(key, [&] { return typed(object, 0); });
  return {.key = std::move(key), .value = std::move(found.value), .type = found.own ? "" : std::move(found.type)};
}

MetadataColumn column_of(std::string key, nb::handle objects) {
  return with_key(key, [&] {
    MetadataColumn out{.key = key};
    CommonType common;
    for (nb::handle each : nb::borrow<nb::object>(objects)) {
      Typed item = typed(each, 0);
      common.add(item);
      out.values.push_back(std::move(item.value));
    }
    if (!common.own()) out.type = common.type();
    return out;
  });
}

namespace {

nb::object time_object(Timestamp at, std::string_view type) {
  const nb::object delta = nb::module_::import_("datetime").attr("timedelta")(0, 0, at.microseconds);
  const nb::object out = epoch(type.find("tz=") != type.npos) + delta;
  return type.starts_with("date32") ? nb::object(out.attr("date")()) : out;
}

}  // namespace

nb::object object_of(const Value& value, std::string_view type) {
  if (const auto* truth = value.get<bool>()) return nb::bool_(*truth);
  if (const auto* number = value.get<int64_t>()) return nb::int_(*number);
  if (const auto* number = value.get<double>()) return nb::float_(*number);
  if (const auto* words = value.get<std::string>()) return text(*words);
  if (const auto* binary = value.get<Binary>()) return nb::bytes(binary->bytes.data(), binary->bytes.size());
  if (const auto* at = value.get<Timestamp>()) return time_object(*at, type);
  if (const auto* items = value.get<Value::List>()) {
    nb::list out;
    for (const auto& item : *items) out.append(object_of(item));
    return out;
  }
  if (const auto* fields = value.get<Struct>()) {
    nb::dict out;
    for (const auto& [name, field] : *fields) out[text(name)] = object_of(field);
    return out;
  }
  return nb::none();
}

}  // namespace tacore::python
