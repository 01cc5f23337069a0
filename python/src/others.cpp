#include "others.hpp"

#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <array>
#include <memory>
#include <string>
#include <utility>

#include "tacore/error.hpp"
#include "text.hpp"

namespace tacore::python {
namespace {

/// Throws a Python exception as an exception of tacore, with `path`; KeyboardInterrupt and SystemExit pass unchanged.
[[noreturn]] void rethrow(nb::python_error& error, const std::string& path) {
  if (!error.matches(PyExc_Exception)) throw;
  const nb::module_ errors = nb::module_::import_("tacore._errors");
  const auto is = [&](const char* name) { return error.matches(errors.attr(name)); };
  auto message = nb::cast<std::string>(nb::str(error.value()));
  if (is("TacoFormatError")) throw FormatError(message, {.path = path});
  if (is("TacoSchemaError")) throw SchemaError(message, {.path = path});
  if (is("TacoQueryError")) throw QueryError(message, {.path = path});
  int number = 0;
  if (is("TacoIOError")) {
    nb::try_cast(error.value().attr("errno"), number);
  } else {
    message = nb::cast<std::string>(error.type().attr("__name__")) + ": " + message;
  }
  throw IoError(message, {.path = path}, number);
}

/// Runs `work` with the GIL, from any thread.
template <class Work>
auto in_python(const std::string& path, Work&& work) {
  const nb::gil_scoped_acquire acquire;
  try {
    return work();
  } catch (nb::python_error& error) {
    rethrow(error, path);
  }
}

/// Keeps the Python thread state of a C++ thread until the thread ends. Otherwise each call would create and delete
/// one, and with it thread-local data of Python: pyproj would free its PROJ context, and use it in the next call.
class KeptThreadState {
 public:
  KeptThreadState() {
    if (PyGILState_GetThisThreadState()) return;
    was_ = PyGILState_Ensure();
    state_ = PyEval_SaveThread();
  }
  ~KeptThreadState() {
    if (!state_ || !Py_IsInitialized()) return;
    PyEval_RestoreThread(state_);
    PyGILState_Release(was_);
  }
  KeptThreadState(const KeptThreadState&) = delete;
  KeptThreadState& operator=(const KeptThreadState&) = delete;

 private:
  PyThreadState* state_ = nullptr;
  PyGILState_STATE was_ = PyGILState_UNLOCKED;
};

/// A Python object that any thread may release, also after the end of the interpreter.
class Held {
 public:
  explicit Held(nb::object object) : object_(std::move(object)) {}
  ~Held() {
    if (!Py_IsInitialized()) {
      static_cast<void>(object_.release());
      return;
    }
    const nb::gil_scoped_acquire acquire;
    object_.reset();
  }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;

  nb::handle get() const noexcept { return object_; }

 private:
  nb::object object_;
};

class RasterioRaster : public Raster {
 public:
  RasterioRaster(const std::string& path, nb::object raster) : name_(path), raster_(std::move(raster)) {
    const nb::handle from = raster_.get();
    const auto get = [&](const char* member, auto& into) {
      into = nb::cast<std::remove_reference_t<decltype(into)>>(from.attr(member));
    };
    std::string type;
    get("width", info_.width);
    get("height", info_.height);
    get("bands", info_.bands);
    get("dtype", type);
    info_.type = parse_data_type(type);
    get("nodata", info_.nodata);
    get("format", info_.format);
    get("block_width", info_.block_width);
    get("block_height", info_.block_height);
    get("compression", info_.compression);
    get("interleave", info_.interleave);
    get("predictor", info_.predictor);
    get("crs", georeference_.crs);
    get("geotransform", georeference_.geotransform);
  }

  const std::string& name() const noexcept override { return name_; }
  const RasterInfo& info() const noexcept override { return info_; }
  Georeference georeference() const override { return georeference_; }

  void read(std::span<const int> bands, const Window& window, std::span<std::byte> out) const override {
    check_read(info_, name_, bands, window, out.size());
    if (out.empty()) return;
    in_python(name_, [&] {
      nb::list numbers;
      for (const int band : bands) numbers.append(band);
      const auto memory = nb::steal(PyMemoryView_FromMemory(reinterpret_cast<char*>(out.data()),
                                                            static_cast<Py_ssize_t>(out.size()), PyBUF_WRITE));
      if (!memory.is_valid()) throw nb::python_error();
      raster_.get().attr("read")(numbers, nb::make_tuple(window.x, window.y, window.width, window.height), memory);
    });
  }

 private:
  std::string name_;
  Held raster_;
  RasterInfo info_ = {};
  Georeference georeference_ = {};
};

class Rasterio : public RasterOpener {
 public:
  std::shared_ptr<const Raster> open(const std::string& vsi_path) const override {
    return in_python(vsi_path, [&]() -> std::shared_ptr<const Raster> {
      const nb::module_ module = nb::module_::import_("tacore._rasterio");
      return std::make_shared<RasterioRaster>(vsi_path, module.attr("Raster")(text(vsi_path)));
    });
  }
};

class Pyproj : public CrsTransformer {
 public:
  bool is_geographic(const std::string& crs) const override {
    keep_thread_state();
    return in_python("", [&] { return nb::cast<bool>(function("is_geographic")(text(crs))); });
  }

  LonLat to_wgs84(const std::string& crs, double x, double y) const override {
    keep_thread_state();
    return in_python("", [&] {
      const auto [lon, lat] = nb::cast<std::array<double, 2>>(function("to_wgs84")(text(crs), x, y));
      return LonLat{lon, lat};
    });
  }

 private:
  static void keep_thread_state() { static thread_local const KeptThreadState state; }
  static nb::object function(const char* name) { return nb::module_::import_("tacore._pyproj").attr(name); }
};

}  // namespace

const RasterOpener* raster_opener() {
  static const Rasterio rasterio;
  return &rasterio;
}

const CrsTransformer* crs_transformer() {
  static const Pyproj pyproj;
  return &pyproj;
}

}  // namespace tacore::python
