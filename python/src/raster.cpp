#include "raster.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cstring>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "interruptible.hpp"
#include "options.hpp"
#include "others.hpp"
#include "tacore/error.hpp"
#include "tacore/raster/picture.hpp"
#include "tacore/raster/tiff_index.hpp"
#include "tacore/raster/tog.hpp"
#include "tacore/write/sample.hpp"
#include "tensor.hpp"
#include "text.hpp"

namespace tacore::python {
namespace {

template <class... Key>
SharedRaster open(const Key&... key) {
  return {open_raster(key..., raster_opener())};
}

/// The properties of a raster, in the order of the fields of RasterInfo in Python.
nb::tuple info_of(const SharedRaster& self) {
  const auto nodata = [&] {
    const nb::gil_scoped_release release;
    return self.raster->nodata();
  }();
  const RasterInfo& info = self.raster->info();
  return nb::make_tuple(info.width, info.height, info.bands, to_string(info.type), nodata, text(info.format),
                        info.block_width, info.block_height, text(info.compression), text(info.interleave),
                        info.predictor);
}

nb::tuple georeference_of(const SharedRaster& self) {
  const Georeference where = [&] {
    const nb::gil_scoped_release release;
    return self.raster->georeference();
  }();
  nb::object to_crs = nb::none();
  if (where.geotransform) {
    nb::list numbers;
    for (const double number : *where.geotransform) numbers.append(number);
    to_crs = nb::tuple(numbers);
  }
  return nb::make_tuple(text(where.crs), to_crs);
}

SharedTensor read(const SharedRaster& self, const TensorOptions& options) {
  return SharedTensor(read_tensor(*self.raster, options));
}

using Memory = nb::ndarray<nb::c_contig, nb::device::cpu>;

/// Whether an array has this type; DLPack and NumPy use the same type codes.
bool has_type(const Memory& memory, DataType type) {
  const std::string_view name = to_string(type);
  const auto code = name.starts_with("float") ? nb::dlpack::dtype_code::Float
                    : name.starts_with("u")   ? nb::dlpack::dtype_code::UInt
                                              : nb::dlpack::dtype_code::Int;
  return memory.dtype() == nb::dlpack::dtype{static_cast<uint8_t>(code), static_cast<uint8_t>(8 * size_of(type)), 1};
}

void read_into(const SharedRaster& self, const TensorOptions& options, const Memory& out) {
  const auto& raster = *self.raster;
  const auto shape = tensor_shape(raster.info(), options);
  const DataType type = tensor_type(raster.info(), options);
  bool fits = has_type(out, type) && out.ndim() == shape.size();
  for (std::size_t axis = 0; fits && axis < shape.size(); ++axis) {
    fits = out.shape(axis) == static_cast<std::size_t>(shape[axis]);
  }
  if (!fits) {
    std::string wanted;
    for (const int64_t length : shape) wanted += (wanted.empty() ? "(" : ", ") + std::to_string(length);
    throw QueryError(std::string("out has another shape or type; ") + to_string(type) + " " + wanted + ") expected",
                     {.path = raster.name()});
  }
  const std::span<std::byte> bytes(static_cast<std::byte*>(out.data()), out.nbytes());
  const nb::gil_scoped_release release;
  read_tensor(raster, options, bytes);
}

/// Opens one input of the sample at a position: the sample itself, or a descendant.
SharedRaster open_input(const DataFrame& rows, int64_t position, const std::string& path) {
  if (path.empty()) return open(rows, position);
  const Node sample = rows.read(position);
  if (const auto* children = std::get_if<DataFrame>(&sample)) return open(*children, std::string_view(path));
  throw NavigationError("the sample at position " + std::to_string(position) + " is a FILE and has no child '" + path +
                        "'");
}

/// Reads one input of a sample into memory of the caller, if its raster has the size (width, height, bands) and the
/// type that the caller expects; else the raster, for a caller that then decides. It is one call, since threads of
/// Python wait for each other before and after each.
std::optional<SharedRaster> read_or_open(const DataFrame& rows, int64_t position, const std::string& path,
                                         const std::tuple<int64_t, int64_t, int, std::string>& expected,
                                         const TensorOptions& options, const Memory& out) {
  const std::span<std::byte> bytes(static_cast<std::byte*>(out.data()), out.nbytes());
  const nb::gil_scoped_release release;
  SharedRaster found = open_input(rows, position, path);
  const RasterInfo& info = found.raster->info();
  if (std::tuple(info.width, info.height, info.bands, std::string(to_string(info.type))) != expected) return found;
  read_tensor(*found.raster, options, bytes);  // checks the size of the memory
  return std::nullopt;
}

std::vector<SharedTensor> read_inputs(const DataFrame& rows, int64_t position, const std::vector<std::string>& paths,
                                      const std::vector<TensorOptions>& options) {
  std::vector<SharedTensor> out;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    out.emplace_back(read_tensor(*open_input(rows, position, paths[i]).raster, options.at(i)));
  }
  return out;
}

/// The pixels as a tensor of shape (height, width, channels).
Tensor tensor_of(const Picture& picture) {
  Tensor out(picture.type, {picture.height, picture.width, picture.channels});
  std::memcpy(out.bytes().data(), picture.samples.data(), picture.samples.size());
  return out;
}

Bytes png_of(const Memory& pixels) {
  Picture picture;
  picture.type = has_type(pixels, DataType::UInt16) ? DataType::UInt16 : DataType::UInt8;
  if ((pixels.ndim() != 2 && pixels.ndim() != 3) || !has_type(pixels, picture.type)) {
    throw QueryError(
        "the image has another type or shape; uint8 or uint16 of shape (height, width) or (height, width, channels) "
        "expected");
  }
  picture.height = static_cast<int64_t>(pixels.shape(0));
  picture.width = static_cast<int64_t>(pixels.shape(1));
  picture.channels = pixels.ndim() == 3 ? static_cast<int>(std::min<std::size_t>(pixels.shape(2), 5)) : 1;
  const auto* begin = static_cast<const std::byte*>(pixels.data());
  const nb::gil_scoped_release release;
  picture.samples.assign(begin, begin + pixels.nbytes());
  return encode_png(picture);
}

nb::tuple write_index(const std::string& path, const Keywords& given, nb::handle callback) {
  auto options = options_of<TiffIndexFileOptions>(given);
  Progress progress(callback, options.task);
  const TiffIndexFileResult made = progress.run([&] { return write_tiff_index(path, options); });
  return nb::make_tuple(text(made.path), made.num_headers, made.num_others, made.num_broken);
}

void make_tog_file(const std::string& input, const std::string& output, const Keywords& given, nb::handle callback) {
  auto options = options_of<TogOptions>(given);
  Progress progress(callback, options.task);
  progress.run([&] { make_tog(input, output, options, raster_opener()); });
}

Tortilla samples_as_togs(const Tortilla& samples, const Keywords& given, nb::handle callback) {
  auto options = options_of<TogSamplesOptions>(given);
  options.fallback = raster_opener();
  Progress progress(callback, options.task);
  std::optional<TogSamples> made;
  progress.run([&] { made = with_togs(samples, options); });
  return made->samples;
}

}  // namespace

void bind_raster(nb::module_& m) {
  const nb::call_guard<nb::gil_scoped_release> free;
  bind_tensor(m);
  nb::class_<SharedRaster>(m, "Raster")
      .def_prop_ro("name", [](const SharedRaster& self) { return text(self.raster->name()); })
      .def("info", &info_of,
           nb::sig("def info(self) -> tuple[int, int, int, str, float | None, str, int, int, str, str, int]"))
      .def("georeference", &georeference_of,
           nb::sig("def georeference(self) -> tuple[str, tuple[float, float, float, float, float, float] | None]"))
      .def("read", &read, free)
      // Without noconvert, nanobind would convert the array to a copy, and the copy would be filled.
      .def("read_into", &read_into, nb::arg("options"), nb::arg("out").noconvert(),
           nb::sig("def read_into(self, options: TensorOptions, out: object) -> None"))
      .def(
          "preview",
          [](const SharedRaster& self, const std::vector<int>& bands, int64_t size) {
            return SharedTensor(tensor_of(preview(*self.raster, {.bands = bands, .size = size})));
          },
          free);
  m.def("open_raster", &open<std::string>, free);
  m.def("open_raster", &open<DataFrame, int64_t>, free);
  m.def("open_raster", &open<DataFrame, std::string_view>, free);
  m.def("open_raster", &open<Sample>, free);
  m.def("open_input", &open_input, free);
  m.def("read_or_open", &read_or_open, nb::arg("rows"), nb::arg("position"), nb::arg("path"), nb::arg("expected"),
        nb::arg("options"), nb::arg("out").noconvert(),
        nb::sig("def read_or_open(rows: DataFrame, position: int, path: str, expected: tuple[int, int, int, str], "
                "options: TensorOptions, out: object) -> Raster | None"));
  m.def("read_inputs", &read_inputs, free);
  m.def(
      "read_stack",
      [](const DataFrame& children, const TensorOptions& options) {
        return SharedTensor(read_stack(children, options, raster_opener()));
      },
      free);
  m.def(
      "encode_png", [](const Memory& pixels) { return bytes_of(png_of(pixels)); },
      nb::sig("def encode_png(pixels: object) -> bytes"));
  m.def("write_tiff_index", &write_index, nb::arg("path"), nb::arg("options"), nb::arg("progress").none(),
        nb::sig("def write_tiff_index(path: str, options: dict[str, Any], progress: object | None) -> "
                "tuple[str, int, int, int]"));
  m.def("make_tog", &make_tog_file, nb::arg("input"), nb::arg("output"), nb::arg("options"),
        nb::arg("progress").none());
  m.def("with_togs", &samples_as_togs, nb::arg("samples"), nb::arg("options"), nb::arg("progress").none());
  m.def("check_tacotiff", [](const std::string& path) {
    const auto faults = [&] {
      const nb::gil_scoped_release release;
      return check_tacotiff(path);
    }();
    return texts(faults);
  });
  bind_pixel_statistics(m);
}

}  // namespace tacore::python
