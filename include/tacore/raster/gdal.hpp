#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tacore/crs.hpp"
#include "tacore/extensions/geo_layer.hpp"
#include "tacore/raster/raster.hpp"
#include "tacore/raster/tensor.hpp"
#include "tacore/remote.hpp"
#include "tacore/visibility.hpp"

/// The library tacore_gdal (CMake: component `gdal`, target `tacore::gdal`): functions that need GDAL and PROJ.
///
///     const auto opener = gdal::raster_opener();
///     const Tensor dem = read_tensor(*open_raster("dem.nc", opener.get()));
namespace tacore::gdal {

/// A transformer for all systems that PROJ knows. Safe from several threads; uses neither files nor network.
TACORE_EXPORT std::shared_ptr<const CrsTransformer> crs_transformer();

struct RasterLayer {
  std::string path = {};  ///< whatever GDAL opens
  int band = 1;
  std::string source = {};   ///< for GeoLayer::source()
  std::string version = {};  ///< for GeoLayer::version()
};

/// The mean of a raster: pixels count by the part of them that the footprint covers, and in a geographic raster by
/// their size on the ground. Scale and offset of the band are applied; no data, masked and NaN pixels are left out.
/// Throws IoError when it cannot be opened, SchemaError when it has no such band or no place on the ground.
TACORE_EXPORT std::shared_ptr<const extensions::GeoLayer> raster_mean(const RasterLayer& layer);

/// The name of the code that covers most of the footprint, by the same weights. Codes without a name are no data.
/// Throws as raster_mean.
TACORE_EXPORT std::shared_ptr<const extensions::GeoLayer> raster_names(const RasterLayer& layer,
                                                                       std::map<int64_t, std::string> names);

/// Names by code for raster_names, from a table that GDAL opens (CSV, for example). Throws IoError, SchemaError for
/// columns that are not there, codes that are no integers, and two names for one.
TACORE_EXPORT std::map<int64_t, std::string> read_names(const std::string& path, const std::string& code_column,
                                                        const std::string& name_column);

struct VectorLayer {
  std::string path = {};     ///< whatever GDAL opens
  std::string layer = {};    ///< empty: the first one
  std::string field = {};    ///< holds the names
  std::string source = {};   ///< for GeoLayer::source()
  std::string version = {};  ///< for GeoLayer::version()
};

/// The name of the polygons that cover most of the footprint; the first one of the layer where two cover the same.
/// Throws IoError when it cannot be opened, SchemaError when it has no such layer or field, or no CRS.
TACORE_EXPORT std::shared_ptr<const extensions::GeoLayer> polygon_names(const VectorLayer& layer);

/// Opens the rasters that GDAL reads, wherever it reads them from (`/vsi...`, subdatasets as `NETCDF:"PATH":NAME`).
/// Pixels are as they are stored: of colour maps the indices, of masks nothing (see read_mask), an alpha band is a
/// band, single bits are bytes. Only the file itself is looked at: no side-cars are read or written, no folders listed,
/// and drivers that follow a file to others or to hosts (VRT, WMS, ...) are left out, for a sample is data of
/// strangers. netCDF and HDF5 inside of a container are copied to a file without name in TMPDIR, since GDAL reads them
/// from real files only. Threads read side by side, each with a handle of its own; a forked child opens new ones, but
/// GDAL itself may hang in it when another thread was inside of GDAL during the fork. open() throws FormatError for
/// complex pixels, bands that differ in type or no data, and files of several subdatasets, which it names; read()
/// throws IoError for pixels that GDAL fails at, or warns about.
TACORE_EXPORT std::shared_ptr<const RasterOpener> raster_opener();

/// Which pixels count, as GDAL has it from no data, masks and alpha: uint8 of shape (bands, height, width), 0 for those
/// that do not, 255 for those that do, between them for alpha. All bands and all pixels when not given. Throws as
/// raster_opener() and Raster::read.
TACORE_EXPORT Tensor read_mask(const std::string& path, std::vector<int> bands = {},
                               const std::optional<Window>& window = {});

/// An axis of an array.
struct Dimension {
  std::string name = {};
  int64_t size = 0;
};

/// An array of a file (netCDF, HDF5, Zarr, ...) with as many axes as it likes.
struct Variable {
  std::string name = {};                   ///< with its groups: "/sentinel/temperature"
  std::string type = {};                   ///< as NumPy has it, or GDAL's name of one that is not read
  std::vector<Dimension> dimensions = {};  ///< the last one fastest
  std::string unit = {};
  std::optional<double> nodata = {};  ///< as stored
  Scale scale = {};                   ///< from stored values to physical ones
};

/// All arrays of a file, coordinates among them, in its order. Throws as raster_opener().
TACORE_EXPORT std::vector<Variable> variables(const std::string& path);

struct MultidimOptions {
  std::string variable = {};        ///< with groups or without; empty: the only one that is no coordinate
  std::vector<int64_t> start = {};  ///< for each dimension, from 0; the first ones when empty
  std::vector<int64_t> count = {};  ///< for each dimension; all from `start` on when empty
};

/// Values as stored, a tensor axis for each dimension. Throws as raster_opener(), and QueryError for a variable that is
/// not there or not the only one (those there are are named), and a part outside of it.
TACORE_EXPORT Tensor read_multidim(const std::string& path, const MultidimOptions& options = {});

/// For RemoteOptions::fallback: reads through GDAL's virtual file systems, `/vsigs/`, `/vsiaz/`, `/vsioss/`,
/// `/vsiswift/` and each other one. Keys, endpoints and headers are what GDAL is configured with, by its environment
/// above all (docs/remote.md); of RemoteOptions only `limit`, `max_tries` and `timeout` count, the last where GDAL is
/// not told otherwise. Opening is one request, without listing a folder, and a read is one for exactly its bytes; of
/// file systems over others, such as `/vsizip/`, GDAL reads blocks. A file that changes is noticed when a read fails.
/// Threads read side by side; a forked child has connections of its own. open() throws IoError for all that is not "no
/// such file", EACCES when the store refuses; read() when bytes are still missing after `max_tries`.
TACORE_EXPORT std::shared_ptr<const RemoteOpener> remote_opener();

/// crs_transformer() for programs that load this library (dlopen) only when they need it, since GDAL takes 30 ms to
/// load. Lives as long as the library.
extern "C" TACORE_EXPORT const CrsTransformer* tacore_gdal_crs_transformer();
/// raster_opener() in the same way.
extern "C" TACORE_EXPORT const RasterOpener* tacore_gdal_raster_opener();
/// remote_opener() in the same way.
extern "C" TACORE_EXPORT const RemoteOpener* tacore_gdal_remote_opener();

}  // namespace tacore::gdal
