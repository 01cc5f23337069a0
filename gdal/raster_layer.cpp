#include <gdal_priv.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <mutex>
#include <numbers>
#include <optional>

#include "coverage.hpp"
#include "footprint.hpp"
#include "gdal_error.hpp"
#include "open_dataset.hpp"
#include "tacore/error.hpp"
#include "tacore/raster/gdal.hpp"

namespace tacore::gdal {

namespace {

using extensions::Footprint;
using Affine = std::array<double, 6>;

constexpr double kDegree = std::numbers::pi / 180;

struct Position {
  double x, y;
};

Position apply(const Affine& map, double x, double y) {
  return {map[0] + x * map[1] + y * map[2], map[3] + x * map[4] + y * map[5]};
}

/// A ring in pixels; `sign` makes its inside count positive, that of a hole negative.
struct PixelRing {
  std::vector<Position> corners;
  double sign;
};

PixelRing in_pixels(const OGRLinearRing& ring, bool hole, double turn, const Affine& to_pixels) {
  PixelRing out;
  double area = 0;
  for (int i = 0; i < ring.getNumPoints(); ++i) {
    out.corners.push_back(apply(to_pixels, ring.getX(i) + turn, ring.getY(i)));
    if (i > 0) {
      const Position& a = out.corners[out.corners.size() - 2];
      const Position& b = out.corners.back();
      area += (a.x - out.corners[0].x) * (b.y - out.corners[0].y) - (b.x - out.corners[0].x) * (a.y - out.corners[0].y);
    }
  }
  out.sign = (area > 0) == hole ? -1 : 1;
  return out;
}

/// First and one past the last pixel of a raster of `size`, between two numbers.
struct Span {
  int first, last;
  Span(double from, double to, int size)
      : first(static_cast<int>(std::clamp(std::floor(from), 0., static_cast<double>(size)))),
        last(static_cast<int>(std::clamp(std::ceil(to), 0., static_cast<double>(size)))) {}
  int size() const { return last - first; }
};

/// A band whose pixels below a footprint can be read.
class Raster {
 public:
  explicit Raster(const RasterLayer& layer) : path_(layer.path), dataset_(open_dataset(layer.path, GDAL_OF_RASTER)) {
    const Quiet quiet;
    if (layer.band < 1 || layer.band > dataset_->GetRasterCount()) {
      throw SchemaError(
          "band " + std::to_string(layer.band) + ": expected 1 to " + std::to_string(dataset_->GetRasterCount()),
          {.path = path_});
    }
    band_ = dataset_->GetRasterBand(layer.band);
    const OGRSpatialReference* crs = dataset_->GetSpatialRef();
    if (!crs || dataset_->GetGeoTransform(from_pixels_.data()) != CE_None ||
        !GDALInvGeoTransform(from_pixels_.data(), to_pixels_.data())) {
      throw SchemaError("the raster is not georeferenced; expected a CRS and a geotransform", {.path = path_});
    }
    projector_.emplace(*crs);
  }

  /// Stored numbers become physical ones: * factor + offset.
  double factor() const { return band_->GetScale(); }
  double offset() const { return band_->GetOffset(); }

  /// Calls visit(value, weight) for each pixel with data of which the footprint covers a part.
  template <class Visit>
  void for_each(const Footprint& footprint, const Visit& visit) const {
    const std::lock_guard lock(mutex_);
    const Quiet quiet;
    const OGRMultiPolygon polygons = projector_->project(footprint);
    for (const double turn : projector_->turns(polygons)) {
      std::vector<PixelRing> rings;
      for (const OGRPolygon* polygon : polygons) {
        bool hole = false;
        for (const OGRLinearRing* ring : polygon) {
          rings.push_back(in_pixels(*ring, hole, turn, to_pixels_));
          hole = true;
        }
      }
      for_each_below(rings, visit);
    }
  }

 private:
  /// The most pixels of a read.
  static constexpr int kPixels = 1 << 21;

  template <class Visit>
  void for_each_below(const std::vector<PixelRing>& rings, const Visit& visit) const {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    Position least{kInfinity, kInfinity};
    Position most{-kInfinity, -kInfinity};
    for (const PixelRing& ring : rings) {
      for (const Position& at : ring.corners) {
        least = {std::min(least.x, at.x), std::min(least.y, at.y)};
        most = {std::max(most.x, at.x), std::max(most.y, at.y)};
      }
    }
    const Span columns(least.x, most.x, band_->GetXSize());
    const Span rows(least.y, most.y, band_->GetYSize());
    if (columns.size() <= 0) return;
    const int step = std::max(1, kPixels / columns.size());
    for (int first = rows.first; first < rows.last; first += step) {
      for_each_in_strip(rings, columns, first, std::min(step, rows.last - first), visit);
    }
  }

  template <class Visit>
  void for_each_in_strip(const std::vector<PixelRing>& rings, const Span& columns, int first_row, int num_rows,
                         const Visit& visit) const {
    Coverage coverage(columns.first, columns.size(), first_row, num_rows);
    for (const PixelRing& ring : rings) {
      for (std::size_t i = 1; i < ring.corners.size(); ++i) {
        const Position& a = ring.corners[i - 1];
        const Position& b = ring.corners[i];
        // An edge adds to all pixels right of it, so the right edge of a positive area has to subtract.
        coverage.add_edge(a.x, a.y, b.x, b.y, -ring.sign);
      }
    }
    const auto size = static_cast<std::size_t>(columns.size()) * static_cast<std::size_t>(num_rows);
    std::vector<double> values(size);
    std::vector<uint8_t> mask(size);
    read(*band_, columns, first_row, num_rows, values.data(), GDT_Float64);
    read(*band_->GetMaskBand(), columns, first_row, num_rows, mask.data(), GDT_Byte);
    const bool geographic = projector_->in_degrees();
    for (int row = 0; row < num_rows; ++row) {
      const std::vector<double> parts = coverage.row(row);
      for (std::size_t column = 0; column < parts.size(); ++column) {
        const std::size_t at = static_cast<std::size_t>(row) * parts.size() + column;
        if (parts[column] <= 0 || mask[at] == 0 || !std::isfinite(values[at])) continue;
        const double lat =
            apply(from_pixels_, columns.first + static_cast<double>(column) + 0.5, first_row + row + 0.5).y;
        visit(values[at], parts[column] * (geographic ? std::max(0., std::cos(lat * kDegree)) : 1));
      }
    }
  }

  void read(GDALRasterBand& band, const Span& columns, int first_row, int num_rows, void* out,
            GDALDataType type) const {
    if (band.RasterIO(GF_Read, columns.first, first_row, columns.size(), num_rows, out, columns.size(), num_rows, type,
                      0, 0, nullptr) != CE_None) {
      throw IoError("cannot read rows " + std::to_string(first_row) + " to " +
                        std::to_string(first_row + num_rows - 1) + Quiet::reason(),
                    {.path = path_});
    }
  }

  std::string path_;
  DatasetPtr dataset_;
  GDALRasterBand* band_ = nullptr;
  Affine from_pixels_ = {};
  Affine to_pixels_ = {};
  mutable std::optional<Projector> projector_;
  mutable std::mutex mutex_;  ///< dataset and projector are for one thread at a time
};

/// The source and version that all layers have.
class Sourced : public extensions::GeoLayer {
 public:
  Sourced(std::string source, std::string version) : source_(std::move(source)), version_(std::move(version)) {}
  const std::string& source() const noexcept override { return source_; }
  const std::string& version() const noexcept override { return version_; }

 private:
  std::string source_;
  std::string version_;
};

class RasterMean : public Sourced {
 public:
  explicit RasterMean(const RasterLayer& layer) : Sourced(layer.source, layer.version), raster_(layer) {}

  Value value(const Footprint& footprint) const override {
    double sum = 0;
    double weights = 0;
    raster_.for_each(footprint, [&](double value, double weight) {
      sum += weight * value;
      weights += weight;
    });
    return weights > 0 ? Value(sum / weights * raster_.factor() + raster_.offset()) : Value();
  }

 private:
  Raster raster_;
};

class RasterNames : public Sourced {
 public:
  RasterNames(const RasterLayer& layer, std::map<int64_t, std::string> names)
      : Sourced(layer.source, layer.version), raster_(layer), names_(std::move(names)) {}

  Value value(const Footprint& footprint) const override {
    std::map<int64_t, double> weights;
    raster_.for_each(footprint, [&](double code, double weight) {
      if (std::abs(code) < 0x1p53) weights[std::llround(code)] += weight;
    });
    const std::string* best = nullptr;
    double most = 0;
    for (const auto& [code, weight] : weights) {
      const auto name = names_.find(code);
      if (name == names_.end() || weight <= most) continue;
      best = &name->second;
      most = weight;
    }
    return best ? Value(*best) : Value();
  }

 private:
  Raster raster_;
  std::map<int64_t, std::string> names_;
};

}  // namespace

std::shared_ptr<const extensions::GeoLayer> raster_mean(const RasterLayer& layer) {
  return std::make_shared<RasterMean>(layer);
}

std::shared_ptr<const extensions::GeoLayer> raster_names(const RasterLayer& layer,
                                                         std::map<int64_t, std::string> names) {
  return std::make_shared<RasterNames>(layer, std::move(names));
}

void tacore_gdal_raster_mean(const RasterLayer* layer, std::shared_ptr<const extensions::GeoLayer>* out) {
  *out = raster_mean(*layer);
}

}  // namespace tacore::gdal
