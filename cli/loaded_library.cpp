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
    throw IoError("reading from there needs GDAL, and tacore_gdal is not installed", {.path = vsi_path});
  }
};

}  // namespace

const CrsTransformer* transformer() { return ask<CrsTransformer>("tacore_gdal_crs_transformer"); }

const RasterOpener* raster_opener() {
  static const WhenAsked opener;
  return &opener;
}

const RemoteOpener* remote_opener() {
  static const RemoteWhenAsked opener;
  return &opener;
}

}  // namespace tacore::cli
