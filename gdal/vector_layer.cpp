#include <ogrsf_frmts.h>

#include <algorithm>
#include <charconv>
#include <mutex>
#include <optional>

#include "footprint.hpp"
#include "gdal_error.hpp"
#include "open_dataset.hpp"
#include "tacore/error.hpp"
#include "tacore/raster/gdal.hpp"

namespace tacore::gdal {

namespace {

using extensions::Footprint;

OGRLayer& find_layer(GDALDataset& dataset, const std::string& path, const std::string& name) {
  OGRLayer* layer = name.empty() ? dataset.GetLayer(0) : dataset.GetLayerByName(name.c_str());
  if (!layer) throw SchemaError("there is no layer '" + name + "'", {.path = path});
  return *layer;
}

int find_field(OGRLayer& layer, const std::string& path, const std::string& name) {
  const int field = layer.GetLayerDefn()->GetFieldIndex(name.c_str());
  if (field >= 0) return field;
  std::string known;
  for (int i = 0; i < layer.GetLayerDefn()->GetFieldCount(); ++i) {
    known += std::string(" ") + layer.GetLayerDefn()->GetFieldDefn(i)->GetNameRef();
  }
  throw SchemaError("there is no field '" + name + "'; the layer has" + known, {.path = path});
}

class PolygonNames : public extensions::GeoLayer {
 public:
  explicit PolygonNames(const VectorLayer& in)
      : path_(in.path),
        source_(in.source),
        version_(in.version),
        dataset_(open_dataset(in.path, GDAL_OF_VECTOR)),
        layer_(find_layer(*dataset_, in.path, in.layer)),
        field_(find_field(layer_, in.path, in.field)) {
    const OGRSpatialReference* crs = layer_.GetSpatialRef();
    if (!crs) throw SchemaError("the layer has no CRS", {.path = in.path});
    projector_.emplace(*crs);
  }

  Value value(const Footprint& footprint) const override {
    const std::lock_guard lock(mutex_);
    const Quiet quiet;
    const OGRMultiPolygon polygons = projector_->project(footprint);
    std::vector<Overlap> overlaps;
    for (const double turn : projector_->turns(polygons)) collect(moved(polygons, turn), overlaps);
    // The first of the largest areas; std::max_element would also accept an area of 0.
    const Overlap* best = nullptr;
    for (const Overlap& each : overlaps) {
      if (each.area > 0 && (!best || each.area > best->area)) best = &each;
    }
    return best ? Value(best->name) : Value();
  }

  const std::string& source() const noexcept override { return source_; }
  const std::string& version() const noexcept override { return version_; }

 private:
  struct Overlap {
    std::string name;
    double area;
  };

  static OGRMultiPolygon moved(OGRMultiPolygon polygons, double turn) {
    for (OGRPolygon* polygon : polygons) {
      for (OGRLinearRing* ring : polygon) {
        for (int i = 0; i < ring->getNumPoints(); ++i) ring->setPoint(i, ring->getX(i) + turn, ring->getY(i));
      }
    }
    return polygons;
  }

  void collect(const OGRMultiPolygon& polygons, std::vector<Overlap>& overlaps) const {
    OGREnvelope box;
    polygons.getEnvelope(&box);
    layer_.SetSpatialFilterRect(box.MinX, box.MinY, box.MaxX, box.MaxY);
    layer_.ResetReading();
    for (const auto& feature : layer_) {
      const OGRGeometry* geometry = feature->GetGeometryRef();
      if (!geometry || !feature->IsFieldSetAndNotNull(field_)) continue;
      const std::string name = feature->GetFieldAsString(field_);
      const double area = common_area(*geometry, polygons, name);
      const auto at =
          std::find_if(overlaps.begin(), overlaps.end(), [&](const Overlap& each) { return each.name == name; });
      if (at == overlaps.end()) {
        overlaps.push_back({name, area});
      } else {
        at->area += area;
      }
    }
  }

  /// Published borders may cross themselves: polygons that GEOS refuses are repaired first.
  double common_area(const OGRGeometry& geometry, const OGRMultiPolygon& polygons, const std::string& name) const {
    std::unique_ptr<OGRGeometry> common(geometry.Intersection(&polygons));
    if (!common) {
      const std::unique_ptr<OGRGeometry> valid(geometry.MakeValid());
      if (valid) common.reset(valid->Intersection(&polygons));
    }
    if (!common) {
      throw SchemaError("'" + name + "' has no computable intersection with a footprint" + Quiet::reason(),
                        {.path = path_});
    }
    return OGR_G_Area(OGRGeometry::ToHandle(common.get()));
  }

  std::string path_;
  std::string source_;
  std::string version_;
  DatasetPtr dataset_;
  OGRLayer& layer_;
  int field_;
  mutable std::optional<Projector> projector_;
  mutable std::mutex mutex_;  ///< dataset and projector are for one thread at a time
};

}  // namespace

std::shared_ptr<const extensions::GeoLayer> polygon_names(const VectorLayer& layer) {
  return std::make_shared<PolygonNames>(layer);
}

std::map<int64_t, std::string> read_names(const std::string& path, const std::string& code_column,
                                          const std::string& name_column) {
  const DatasetPtr dataset = open_dataset(path, GDAL_OF_VECTOR);
  OGRLayer& layer = find_layer(*dataset, path, "");
  const int code_field = find_field(layer, path, code_column);
  const int name_field = find_field(layer, path, name_column);
  std::map<int64_t, std::string> out;
  for (const auto& feature : layer) {
    const std::string text = feature->GetFieldAsString(code_field);
    int64_t code = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), code);
    if (error != std::errc{} || end != text.data() + text.size()) {
      throw SchemaError("code '" + text + "': expected an integer", {.path = path});
    }
    const std::string name = feature->GetFieldAsString(name_field);
    if (const auto [at, added] = out.try_emplace(code, name); !added && at->second != name) {
      throw SchemaError("code " + text + " is '" + at->second + "' and '" + name + "'", {.path = path});
    }
  }
  return out;
}

void tacore_gdal_polygon_names(const VectorLayer* layer, std::shared_ptr<const extensions::GeoLayer>* out) {
  *out = polygon_names(*layer);
}

}  // namespace tacore::gdal
