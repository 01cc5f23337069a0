#include "loaded_library.hpp"

#include <dlfcn.h>

#include <tacore/error.hpp>

namespace tacore::cli {
namespace {

/// What a function of the library gives, which takes nothing.
template <class T>
const T* ask(const char* function) {
#ifdef TACORE_GDAL_LIBRARY
  if (void* library = ::dlopen(TACORE_GDAL_LIBRARY, RTLD_NOW | RTLD_LOCAL)) {
    if (const auto known = reinterpret_cast<const T* (*)()>(::dlsym(library, function))) return known();
  }
#endif
  static_cast<void>(function);
  return nullptr;
}

class CrsWhenAsked final : public CrsTransformer {
 public:
  bool is_geographic(const std::string& crs) const override { return known(crs).is_geographic(crs); }
  LonLat to_wgs84(const std::string& crs, double x, double y) const override { return known(crs).to_wgs84(crs, x, y); }

 private:
  static const CrsTransformer& known(const std::string& crs) {
    static const auto* transformer = ask<CrsTransformer>("tacore_gdal_crs_transformer");
    if (transformer) return *transformer;
    throw SchemaError("CRS '" + crs + "' is not known without PROJ, and tacore_gdal is not installed");
  }
};

class WhenAsked final : public RasterOpener {
 public:
  std::shared_ptr<const Raster> open(const std::string& vsi_path) const override {
    const auto* opener = ask<RasterOpener>("tacore_gdal_raster_opener");
    if (opener) return opener->open(vsi_path);
    throw FormatError("no TIFF that can be read without GDAL, and tacore_gdal is not installed", {.path = vsi_path});
  }
};

class RemoteWhenAsked final : public RemoteOpener {
 public:
  std::unique_ptr<RemoteFile> open(const std::string& vsi_path, const RemoteOptions& options) const override {
    const auto* opener = ask<RemoteOpener>("tacore_gdal_remote_opener");
    if (opener) return opener->open(vsi_path, options);
    throw IoError("reading from this storage needs GDAL, and tacore_gdal is not installed", {.path = vsi_path});
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
  return &opener;
}

}  // namespace tacore::cli
