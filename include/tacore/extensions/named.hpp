#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tacore/crs.hpp"
#include "tacore/extensions/geo_layers.hpp"
#include "tacore/types.hpp"
#include "tacore/visibility.hpp"
#include "tacore/write/sample.hpp"

/// Extensions by their names and values as text, for programs whose users type them: "stac" and "2024-06-01", "split"
/// and "train", "geotiff_stats" and "[0,1,2]".
namespace tacore {

class RasterOpener;

}  // namespace tacore

namespace tacore::extensions {

/// A file from which a variable of rai or geo_enrich is taken: polygons with names where it has a `field`, else a
/// raster.
struct LayerFile {
  std::string variable = {}, path = {}, layer = {}, field = {}, source = {}, version = {};
  int band = 1;
};

/// Opens the layers of rai and geo_enrich, as tacore_gdal does.
class TACORE_EXPORT LayerOpener {
 public:
  virtual ~LayerOpener();
  virtual std::shared_ptr<const GeoLayer> open(const LayerFile& file) const = 0;
};

/// Options of named_extension().
struct NamedOptions {
  const CrsTransformer* transformer = nullptr;  ///< for a CRS that tacore does not know
  const RasterOpener* fallback = nullptr;       ///< opens rasters that tacore does not decode
  const LayerOpener* layers = nullptr;          ///< without one, rai and geo_enrich are refused
  int jobs = 0;                                 ///< number of threads; 0: one for each processor
};

/// Columns that an extension adds to samples.
class TACORE_EXPORT AddedColumns {
 public:
  virtual ~AddedColumns();
  virtual Tortilla add_to(const Tortilla& samples) const = 0;
};

/// What an extension adds: columns to samples, or keys to COLLECTION.json. One of the members is set. The openers of
/// NamedOptions must live as long.
struct NamedExtension {
  std::shared_ptr<const AddedColumns> columns = {};
  std::vector<MetadataField> keys = {};
};

/// The names of the extensions that named_extension() knows.
TACORE_EXPORT std::vector<std::string> named_extensions();

/// The extension `name` with a value as docs/extensions.md describes it; not set: its default. Throws ValidationError
/// for a name that is not known, a value that the extension does not take, and a layer without a way to open it.
///
///     const auto stac = named_extension("stac", "2024-06-01");
///     const Tortilla samples = stac.columns->add_to(Tortilla::from_folder("chips"));
TACORE_EXPORT NamedExtension named_extension(const std::string& name, const std::optional<std::string>& value = {},
                                             const NamedOptions& options = {});

/// Whether the extension `name` computes places from the rasters of samples. Other extensions need places before them.
TACORE_EXPORT bool states_places(const std::string& name);

}  // namespace tacore::extensions
