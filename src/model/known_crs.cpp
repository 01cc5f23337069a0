#include "model/known_crs.hpp"

#include "base/text.hpp"
#include "tacore/error.hpp"

namespace tacore {

bool is_geographic(const std::string& crs, const CrsTransformer* transformer) {
  if (crs.empty()) throw SchemaError("Invalid CRS: it is empty, expected a code such as EPSG:32630");
  if (transformer) return transformer->is_geographic(crs);
  const std::string name = lower(crs);
  if (name == "epsg:4326" || name == "ogc:crs84") return true;
  throw SchemaError("Invalid CRS: " + quoted(crs) +
                    " is not known without a CrsTransformer; pass one (tacore_gdal has it), or use EPSG:4326");
}

}  // namespace tacore
