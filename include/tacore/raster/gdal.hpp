#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tacore/crs.hpp"
#include "tacore/extensions/geo_layers.hpp"
#include "tacore/raster/raster.hpp"
#include "tacore/raster/tensor.hpp"
#include "tacore/remote.hpp"
#include "tacore/visibility.hpp"

/// The library tacore_gdal (CMake: component `gdal`, target `tacore::gdal`): functions that need GDAL and PROJ.
///
///     const auto opener = gdal::raster_opener();
///     const Tensor dem = read_tensor(*open_raster("dem.nc", opener.get()));
namespace tacore::gdal {

/// A transformer for all coordinate reference systems that PROJ knows. Safe from several threads; uses neither files
/// nor network.
TACORE_EXPORT std::shared_ptr<const CrsTransformer> crs_transformer();

/// A raster that raster_mean() and raster_names() sample at each footprint.
struct RasterLayer {
  std::string path = {};     ///< any path or name that GDAL opens
  int band = 1;              ///< from 1
  std::string source = {};   ///< for GeoLayer::source()
  std::string version = {};  ///< for GeoLayer::version()
};

/// A layer whose value is the mean of a raster over the footprint. The weight of a pixel is the fraction that the
/// footprint covers, in a geographic raster times its area on the ground. Scale and offset of the band are applied; no
/// data, masked and NaN pixels are left out. Throws IoError when the raster cannot be opened, SchemaError when it has
/// no such band or no georeference.
///
///     const auto dem = gdal::raster_mean({.path = "dem.tif", .source = "Copernicus DEM", .version = "2021"});
///     sample.extend_with(extensions::RAI({{"elevation", dem}}));
TACORE_EXPORT std::shared_ptr<const extensions::GeoLayer> raster_mean(const RasterLayer& layer);

/// A layer whose value is the name of the pixel value (code) that covers most of the footprint, with the weights of
/// raster_mean(). `names` maps codes to names; codes without a name are no data. Throws as raster_mean().
TACORE_EXPORT std::shared_ptr<const extensions::GeoLayer> raster_names(const RasterLayer& layer,
                                                                       std::map<int64_t, std::string> names);

/// Reads the names of codes for raster_names() from a table that GDAL opens, such as CSV. Throws IoError; SchemaError
/// for columns that do not exist, codes that are not integers, and two names for one code.
TACORE_EXPORT std::map<int64_t, std::string> read_names(const std::string& path, const std::string& code_column,
                                                        const std::string& name_column);

/// A vector layer of polygons that polygon_names() samples at each footprint.
struct VectorLayer {
  std::string path = {};     ///< any path or name that GDAL opens
  std::string layer = {};    ///< "": the first one
  std::string field = {};    ///< the field with the names
  std::string source = {};   ///< for GeoLayer::source()
  std::string version = {};  ///< for GeoLayer::version()
};

/// A layer whose value is the name of the polygons that cover most of the footprint; the first one of the layer when
/// two cover the same area. Throws IoError when the layer cannot be opened, SchemaError when it has no such layer or
/// field, or no CRS.
TACORE_EXPORT std::shared_ptr<const extensions::GeoLayer> polygon_names(const VectorLayer& layer);

/// An opener of all rasters that GDAL reads, local or remote (`/vsi...`, subdatasets as `NETCDF:"PATH":NAME`). Pixels
/// are read as stored: a colour map gives indices, masks are ignored (see read_mask()), an alpha band is a band, single
/// bits are bytes.
///
/// Only the file itself is opened, since samples may come from untrusted sources: no sidecar files are read or written,
/// no folders listed, and drivers that follow a file to other files or hosts (VRT, WMS, ...) are disabled. netCDF and
/// HDF5 inside of a container are copied to an anonymous temporary file in TMPDIR, since GDAL reads them from real
/// files only.
///
/// Threads read in parallel, each with its own handle. A forked child opens new handles, but GDAL itself may hang in it
/// when another thread was inside of GDAL during the fork. open() throws FormatError for complex pixels, bands that
/// differ in type or no data, and files of several subdatasets, which it names; read() throws IoError for pixels that
/// GDAL cannot read or warns about.
TACORE_EXPORT std::shared_ptr<const RasterOpener> raster_opener();

/// Reads which pixels are valid, from no data, masks and alpha as GDAL interprets them: uint8 of shape (bands, height,
/// width), 0 for invalid, 255 for valid, and values between them for alpha. Without `bands` and `window` these are all
/// bands and all pixels. Throws as raster_opener() and Raster::read().
TACORE_EXPORT Tensor read_mask(const std::string& path, std::vector<int> bands = {},
                               const std::optional<Window>& window = {});

/// A dimension (axis) of a multidimensional array.
struct Dimension {
  std::string name = {};
  int64_t size = 0;
};

/// A multidimensional array of a file (netCDF, HDF5, Zarr, ...).
struct Variable {
  std::string name = {};                   ///< with its groups: "/sentinel/temperature"
  std::string type = {};                   ///< NumPy's name, or GDAL's for a type that is not read
  std::vector<Dimension> dimensions = {};  ///< the last one varies fastest
  std::string unit = {};
  std::optional<double> nodata = {};  ///< as stored
  Scale scale = {};                   ///< from stored values to physical ones
};

/// Lists all multidimensional arrays of a file, coordinates included, in the order of the file. Throws as
/// raster_opener().
TACORE_EXPORT std::vector<Variable> variables(const std::string& path);

/// The array, and the part of it, that read_multidim() reads.
struct MultidimOptions {
  std::string variable = {};        ///< with or without groups; "": the only one that is not a coordinate
  std::vector<int64_t> start = {};  ///< first index in each dimension, from 0; empty: 0 in all
  std::vector<int64_t> count = {};  ///< size in each dimension; empty: from `start` to the end
};

/// Reads a multidimensional array as stored, with one tensor axis for each dimension. Throws as raster_opener(), and
/// QueryError, with the names of the existing variables, for a variable that does not exist or is not the only one, and
/// for a part outside of the array.
///
///     const Tensor day = gdal::read_multidim("era5.nc", {.variable = "t2m", .count = {24, 721, 1440}});
TACORE_EXPORT Tensor read_multidim(const std::string& path, const MultidimOptions& options = {});

/// An opener of remote files for RemoteOptions::fallback, which reads through GDAL's virtual file systems: `/vsigs/`,
/// `/vsiaz/`, `/vsioss/`, `/vsiswift/` and all others. GDAL's own configuration, mainly its environment variables,
/// gives keys, endpoints and headers (docs/remote.md); of RemoteOptions only `max_concurrent_requests`, `max_tries` and
/// `timeout` are used, the last one unless GDAL's own option is set.
///
/// Opening a file is one request, without listing a folder, and a read is one request for exactly its bytes; nested
/// file systems, such as `/vsizip/`, are read in blocks. A change of a file is noticed when a read fails. Threads read
/// in parallel; a forked child has its own connections. open() throws IoError for every failure but a missing file,
/// with EACCES when access is denied; read() throws IoError when bytes are still missing after `max_tries`.
TACORE_EXPORT std::shared_ptr<const RemoteOpener> remote_opener();

/// A crs_transformer() for programs that load tacore_gdal with dlopen() only when they need it, since loading GDAL
/// takes 30 ms. It lives as long as the library.
extern "C" TACORE_EXPORT const CrsTransformer* tacore_gdal_crs_transformer();
/// A raster_opener() for programs that load tacore_gdal with dlopen(). It lives as long as the library.
extern "C" TACORE_EXPORT const RasterOpener* tacore_gdal_raster_opener();
/// A remote_opener() for programs that load tacore_gdal with dlopen(). It lives as long as the library.
extern "C" TACORE_EXPORT const RemoteOpener* tacore_gdal_remote_opener();
/// Sets `*out` to raster_mean(*layer), for programs that load tacore_gdal with dlopen(). Throws as raster_mean().
extern "C" TACORE_EXPORT void tacore_gdal_raster_mean(const RasterLayer* layer,
                                                      std::shared_ptr<const extensions::GeoLayer>* out);
/// Sets `*out` to polygon_names(*layer), for programs that load tacore_gdal with dlopen(). Throws as polygon_names().
extern "C" TACORE_EXPORT void tacore_gdal_polygon_names(const VectorLayer* layer,
                                                        std::shared_ptr<const extensions::GeoLayer>* out);

}  // namespace tacore::gdal
