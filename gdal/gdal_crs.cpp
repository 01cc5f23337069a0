#include "gdal_crs.hpp"

#include <cmath>
#include <map>
#include <mutex>

#include "gdal_error.hpp"
#include "tacore/error.hpp"
#include "tacore/raster/gdal.hpp"

namespace tacore::gdal {

namespace {

constexpr double kDegree = 0.0174532925199433;

class Proj : public CrsTransformer {
 public:
  bool is_geographic(const std::string& crs) const override {
    const std::lock_guard lock(mutex_);
    return find(crs).geographic;
  }

  LonLat to_wgs84(const std::string& crs, double x, double y) const override {
    const std::lock_guard lock(mutex_);
    Known& known = find(crs);
    const Quiet quiet;
    if (!known.to_wgs84) known.to_wgs84 = transformation(known.crs, *OGRSpatialReference::GetWGS84SRS(), crs);
    LonLat out{x, y};
    if (!known.to_wgs84->Transform(1, &out.lon, &out.lat) || !std::isfinite(out.lon) || !std::isfinite(out.lat)) {
      throw SchemaError("CRS '" + crs + "': no longitude and latitude for (" + std::to_string(x) + ", " +
                        std::to_string(y) + ")" + Quiet::reason());
    }
    return out;
  }

 private:
  struct Known {
    OGRSpatialReference crs;
    bool geographic;
    std::unique_ptr<OGRCoordinateTransformation> to_wgs84 = {};
  };

  Known& find(const std::string& crs) const {
    if (const auto at = known_.find(crs); at != known_.end()) return at->second;
    if (known_.size() >= kMostKept) known_.clear();
    OGRSpatialReference parsed = parse_crs(crs);
    const bool geographic = is_in_degrees(parsed);
    return known_.try_emplace(crs, Known{std::move(parsed), geographic}).first->second;
  }

  mutable std::mutex mutex_;
  mutable std::map<std::string, Known> known_;
};

}  // namespace

OGRSpatialReference parse_crs(const std::string& crs) {
  const Quiet quiet;
  OGRSpatialReference out;
  // A CRS comes from untrusted files: it must not be the name of a file or a URL.
  if (out.SetFromUserInput(crs.c_str(), OGRSpatialReference::SET_FROM_USER_INPUT_LIMITATIONS_get()) != OGRERR_NONE) {
    throw SchemaError("Invalid CRS: '" + crs + "' is not known" + Quiet::reason());
  }
  out.SetAxisMappingStrategy(OAMS_TRADITIONAL_GIS_ORDER);
  return out;
}

bool is_in_degrees(const OGRSpatialReference& crs) {
  return crs.IsGeographic() && std::abs(crs.GetAngularUnits(nullptr) - kDegree) < 1e-9;
}

std::unique_ptr<OGRCoordinateTransformation> transformation(const OGRSpatialReference& from,
                                                            const OGRSpatialReference& to, const std::string& crs) {
  const Quiet quiet;
  OGRSpatialReference target = to;
  target.SetAxisMappingStrategy(OAMS_TRADITIONAL_GIS_ORDER);
  std::unique_ptr<OGRCoordinateTransformation> out(OGRCreateCoordinateTransformation(&from, &target));
  if (!out) throw SchemaError("CRS '" + crs + "': cannot be transformed" + Quiet::reason());
  return out;
}

std::shared_ptr<const CrsTransformer> crs_transformer() { return std::make_shared<Proj>(); }

const CrsTransformer* tacore_gdal_crs_transformer() {
  static const auto known = crs_transformer();
  return known.get();
}

}  // namespace tacore::gdal
