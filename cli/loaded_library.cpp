#include "loaded_library.hpp"

#include <dlfcn.h>

#include <filesystem>
#include <string>
#include <system_error>

#include <tacore/error.hpp>
#include <tacore/version.hpp>

namespace tacore::cli {
namespace {

/// Where tacore_gdal is if it is installed: beside our libtacore, for another one would be linked with another copy of
/// it. Empty when this taco is built without GDAL.
std::filesystem::path gdal_path() {
#ifdef TACORE_GDAL_LIBRARY
  Dl_info here{};
  if (::dladdr(reinterpret_cast<void*>(&tacore::version), &here) != 0) {
    return std::filesystem::path(here.dli_fname).replace_filename(TACORE_GDAL_LIBRARY);
  }
#endif
  return {};
}

bool is_gdal_installed() {
  std::error_code ignored;
  return std::filesystem::exists(gdal_path(), ignored);
}

struct GdalLibrary {
  void* handle = nullptr;
  std::string problem;  ///< why there is none, and what to do
};

GdalLibrary load_gdal_library() {
  const std::string how = "; the Debian package of tacore has it, and so has a build from source with GDAL 3.6";
  if (!is_gdal_installed()) return {nullptr, "this taco has no GDAL" + how};
  if (void* handle = ::dlopen(gdal_path().c_str(), RTLD_NOW | RTLD_LOCAL)) return {handle, {}};
  return {nullptr, std::string("it cannot be loaded (") + ::dlerror() + ")" + how};
}

const GdalLibrary& gdal_library() {
  static const GdalLibrary library = load_gdal_library();
  return library;
}

/// What a function of the library gives, which takes nothing.
template <class T>
const T* ask(const char* function) {
  if (gdal_library().handle == nullptr) return nullptr;
  const auto known = reinterpret_cast<const T* (*)()>(::dlsym(gdal_library().handle, function));
  return known == nullptr ? nullptr : known();
}

/// A layer that a function of the library makes.
template <class Layer>
std::shared_ptr<const extensions::GeoLayer> make_layer(const char* function, const Layer& layer) {
  using Make = void (*)(const Layer*, std::shared_ptr<const extensions::GeoLayer>*);
  void* handle = gdal_library().handle;
  const auto make = handle == nullptr ? nullptr : reinterpret_cast<Make>(::dlsym(handle, function));
  if (make == nullptr) throw SchemaError("layers need GDAL: " + gdal_library().problem, {.path = layer.path});
  std::shared_ptr<const extensions::GeoLayer> out;
  make(&layer, &out);
  return out;
}

class CrsWhenAsked final : public CrsTransformer {
 public:
  bool is_geographic(const std::string& crs) const override { return known(crs).is_geographic(crs); }
  LonLat to_wgs84(const std::string& crs, double x, double y) const override { return known(crs).to_wgs84(crs, x, y); }

 private:
  static const CrsTransformer& known(const std::string& crs) {
    static const auto* transformer = ask<CrsTransformer>("tacore_gdal_crs_transformer");
    if (transformer) return *transformer;
    throw SchemaError("CRS '" + crs + "' is not known without GDAL: " + gdal_library().problem);
  }
};

class WhenAsked final : public RasterOpener {
 public:
  std::shared_ptr<const Raster> open(const std::string& vsi_path) const override {
    const auto* opener = ask<RasterOpener>("tacore_gdal_raster_opener");
    if (opener) return opener->open(vsi_path);
    throw FormatError("no TIFF that taco decodes without GDAL: " + gdal_library().problem, {.path = vsi_path});
  }
};

class RemoteWhenAsked final : public RemoteOpener {
 public:
  std::unique_ptr<RemoteFile> open(const std::string& vsi_path, const RemoteOptions& options) const override {
    const auto* opener = ask<RemoteOpener>("tacore_gdal_remote_opener");
    if (opener) return opener->open(vsi_path, options);
    throw IoError("reading from this storage needs GDAL: " + gdal_library().problem, {.path = vsi_path});
  }
};

}  // namespace

const CrsTransformer* transformer() {
  static const CrsWhenAsked transformer;
  return &transformer;
}

const RasterOpener* raster_opener() {
  static const WhenAsked opener;
  return &opener;
}

const RemoteOpener* remote_opener() {
  static const RemoteWhenAsked opener;
  static const bool is_there = is_gdal_installed();  // without it tacore itself reads public objects
  return is_there ? &opener : nullptr;
}

std::shared_ptr<const extensions::GeoLayer> raster_mean(const gdal::RasterLayer& layer) {
  return make_layer("tacore_gdal_raster_mean", layer);
}

std::shared_ptr<const extensions::GeoLayer> polygon_names(const gdal::VectorLayer& layer) {
  return make_layer("tacore_gdal_polygon_names", layer);
}

}  // namespace tacore::cli
