#include "tensor.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>

namespace tacore::python {
namespace {

/// The type code of the module `struct`.
const char* format_of(DataType type) {
  switch (type) {
    case DataType::UInt8: return "B";
    case DataType::Int8: return "b";
    case DataType::UInt16: return "H";
    case DataType::Int16: return "h";
    case DataType::UInt32: return "I";
    case DataType::Int32: return "i";
    case DataType::UInt64: return "L";
    case DataType::Int64: return "l";
    case DataType::Float32: return "f";
    case DataType::Float64: return "d";
  }
  return "B";
}
static_assert(sizeof(long) == 8 && sizeof(Py_ssize_t) == sizeof(int64_t));

nb::dlpack::dtype dlpack_type(DataType type) {
  const auto with_code = [&](nb::dlpack::dtype_code code) {
    return nb::dlpack::dtype{static_cast<uint8_t>(code), static_cast<uint8_t>(8 * size_of(type)), 1};
  };
  const std::string_view name = to_string(type);
  if (name.starts_with("float")) return with_code(nb::dlpack::dtype_code::Float);
  return with_code(name.starts_with("u") ? nb::dlpack::dtype_code::UInt : nb::dlpack::dtype_code::Int);
}

int get_buffer(PyObject* self, Py_buffer* view, int flags) {
  auto& shared = *nb::inst_ptr<SharedTensor>(self);
  const Tensor& tensor = shared.tensor();
  view->obj = Py_NewRef(self);
  view->buf = shared.tensor().bytes().data();
  view->len = static_cast<Py_ssize_t>(tensor.bytes().size());
  view->itemsize = static_cast<Py_ssize_t>(size_of(tensor.type()));
  view->readonly = 0;
  view->format = (flags & PyBUF_FORMAT) != 0 ? const_cast<char*>(format_of(tensor.type())) : nullptr;
  view->ndim = static_cast<int>(tensor.shape().size());
  const bool has_shape = (flags & PyBUF_ND) != 0;
  view->shape = has_shape ? const_cast<Py_ssize_t*>(tensor.shape().data()) : nullptr;
  view->strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? shared.strides() : nullptr;
  view->suboffsets = nullptr;
  view->internal = nullptr;
  return 0;
}

/// An ndarray of nanobind over the memory of the tensor, which supports DLPack and keeps `self` alive.
nb::object array_api(nb::handle self) {
  Tensor& tensor = nb::cast<SharedTensor&>(self).tensor();
  const std::vector<std::size_t> shape(tensor.shape().begin(), tensor.shape().end());
  return nb::cast(nb::ndarray<nb::array_api>(tensor.bytes().data(), shape.size(), shape.data(), self, nullptr,
                                             dlpack_type(tensor.type())));
}

nb::tuple shape_of(const Tensor& tensor) {
  nb::list out;
  for (const int64_t length : tensor.shape()) out.append(length);
  return nb::tuple(out);
}

std::string text_of(const Tensor& tensor) {
  return "Tensor(" + nb::cast<std::string>(nb::repr(shape_of(tensor))) + ", " + to_string(tensor.type()) + ")";
}

TensorOptions options_of(const std::vector<int>& bands, const std::optional<std::array<int64_t, 4>>& window,
                         const std::optional<std::string>& dtype, const std::vector<std::pair<double, double>>& scale,
                         const std::optional<double>& fill) {
  TensorOptions out{.bands = bands, .fill = fill};
  if (window) out.window = Window{(*window)[0], (*window)[1], (*window)[2], (*window)[3]};
  if (dtype) out.type = parse_data_type(*dtype);
  for (const auto& [factor, offset] : scale) out.scale.push_back({factor, offset});
  return out;
}

}  // namespace

void bind_tensor(nb::module_& m) {
  static const PyType_Slot slots[] = {{Py_bf_getbuffer, reinterpret_cast<void*>(get_buffer)}, {0, nullptr}};
  nb::class_<SharedTensor>(
      m, "Tensor", nb::type_slots(slots),
      "A dense array in row-major order, aligned to 64 bytes.\n\n"
      "It supports the buffer protocol (memoryview, numpy.asarray) and DLPack (torch.from_dlpack), "
      "which share its memory without a copy.")
      .def_prop_ro(
          "shape", [](SharedTensor& self) { return shape_of(self.tensor()); },
          nb::for_getter(nb::sig("def shape(self) -> tuple[int, ...]")), "Length of each axis.")
      .def_prop_ro(
          "dtype", [](SharedTensor& self) { return to_string(self.tensor().type()); },
          "Type of the numbers, named as in NumPy.")
      .def_prop_ro(
          "nbytes", [](SharedTensor& self) { return self.tensor().bytes().size(); }, "Size in bytes.")
      .def("__repr__", [](SharedTensor& self) { return text_of(self.tensor()); })
      .def(
          "__dlpack__",
          [](nb::handle self, const nb::kwargs& options) { return array_api(self).attr("__dlpack__")(**options); },
          nb::sig("def __dlpack__(self, **options: object) -> object"))
      .def(
          "__dlpack_device__", [](nb::handle self) { return array_api(self).attr("__dlpack_device__")(); },
          nb::sig("def __dlpack_device__(self) -> tuple[int, int]"));
  nb::class_<TensorOptions>(m, "TensorOptions")
      .def(
          "__init__",
          [](TensorOptions* self, const std::vector<int>& bands, const std::optional<std::array<int64_t, 4>>& window,
             const std::optional<std::string>& dtype, const std::vector<std::pair<double, double>>& scale,
             const std::optional<double>& fill) {
            new (self) TensorOptions(options_of(bands, window, dtype, scale, fill));
          },
          nb::arg("bands"), nb::arg("window").none(), nb::arg("dtype").none(), nb::arg("scale"),
          nb::arg("fill").none());
}

}  // namespace tacore::python
