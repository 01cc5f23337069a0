#include "tacore/extensions/stac.hpp"

#include <cmath>

#include "base/longitude.hpp"
#include "base/text.hpp"
#include "extensions/columns.hpp"
#include "model/known_crs.hpp"
#include "model/wkb_centroid.hpp"
#include "tacore/error.hpp"

namespace tacore::extensions {

namespace {

/// Adds the id of the sample to the messages of errors.
class Complaint {
 public:
  explicit Complaint(const std::string& sample_id) : prefix_(sample_id.empty() ? "" : "[" + sample_id + "] ") {}
  SchemaError operator()(const std::string& message) const { return SchemaError(prefix_ + message); }
  /// What `body` returns; its errors get the prefix.
  template <class Body>
  auto during(const Body& body) const {
    try {
      return body();
    } catch (const Error& error) {
      throw(*this)(error.message());
    }
  }

 private:
  std::string prefix_;
};

/// Whether `crs` is geographic; throws when it is not known.
bool check_crs(const std::string& crs, const CrsTransformer* transformer, bool has_centroid) {
  if (has_centroid && lower(crs).starts_with("sr-org:")) return false;
  return is_geographic(crs, transformer);
}

Binary encode_centroid(const LonLat& at) {
  if (!std::isfinite(at.lon) || !std::isfinite(at.lat)) throw SchemaError("Centroid is NaN or infinite");
  if (std::abs(at.lon) > 180) {
    throw SchemaError("Longitude " + std::to_string(at.lon) + " of the centroid out of bounds [-180, 180]");
  }
  if (std::abs(at.lat) > 90) {
    throw SchemaError("Latitude " + std::to_string(at.lat) + " of the centroid out of bounds [-90, 90]");
  }
  return {wkb_point(at.lon, at.lat)};
}

LonLat on_globe(const std::string& crs, const CrsTransformer* transformer, const Centroid& at) {
  if (!std::isfinite(at.x) || !std::isfinite(at.y)) throw SchemaError("Centroid is NaN or infinite");
  LonLat out = to_wgs84(crs, at.x, at.y, transformer);
  // Grids in degrees run on to 360, or across the antimeridian.
  if (std::abs(out.lon) > 180 && std::abs(out.lon) <= 360) out.lon = wrap_longitude(out.lon);
  return out;
}

void check_given_centroid(const Binary& centroid) {
  const auto at = point_of_wkb(std::as_bytes(std::span(centroid.bytes)));
  if (!at) throw SchemaError("centroid: expected a WKB Point");
  encode_centroid({at->x, at->y});
}

void check_times(const Timestamp& start, const std::optional<Timestamp>& end) {
  if (end && start > *end) {
    throw SchemaError("time_start (" + start.to_string() + ") > time_end (" + end->to_string() + ")");
  }
}

Value middle_of(const Timestamp& start, const std::optional<Timestamp>& end, const std::optional<Timestamp>& given) {
  if (given) return *given;
  if (!end) return {};
  const int64_t a = start.microseconds;
  const int64_t b = end->microseconds;
  return Timestamp{(a & b) + ((a ^ b) >> 1)};  // the mean, rounded down, where a + b would not fit
}

Centroid centre(const std::vector<int64_t>& shape, const std::array<double, 6>& to_crs) {
  const double column = static_cast<double>(shape[shape.size() - 1]) / 2;
  const double row = static_cast<double>(shape[shape.size() - 2]) / 2;
  return {to_crs[0] + column * to_crs[1] + row * to_crs[2], to_crs[3] + column * to_crs[4] + row * to_crs[5]};
}

void check_shape(const std::vector<int64_t>& shape) {
  if (shape.size() < 2) {
    throw SchemaError("tensor_shape must have >= 2 dimensions, found " + std::to_string(shape.size()));
  }
  for (const int64_t size : shape) {
    if (size < 1) throw SchemaError("tensor_shape holds " + std::to_string(size) + ", expected at least 1");
  }
}

std::vector<MetadataField> stac_columns(const StacOptions& in) {
  return Complaint(in.sample_id).during([&] {
    check_times(in.time_start, in.time_end);
    check_shape(in.tensor_shape);
    for (const double number : in.geotransform) {
      if (!std::isfinite(number)) throw SchemaError("geotransform holds NaN or infinity, expected six finite numbers");
    }
    check_crs(in.crs, in.transformer, in.centroid.has_value());
    if (in.centroid) check_given_centroid(*in.centroid);
    const Binary centroid =
        in.centroid ? *in.centroid
                    : encode_centroid(on_globe(in.crs, in.transformer, centre(in.tensor_shape, in.geotransform)));
    return make_columns("stac", {in.crs, list_of(in.tensor_shape), list_of(in.geotransform), in.time_start, centroid,
                                 value_of(in.time_end), middle_of(in.time_start, in.time_end, in.time_middle)});
  });
}

std::vector<MetadataField> istac_columns(const IstacOptions& in) {
  return Complaint(in.sample_id).during([&] {
    check_times(in.time_start, in.time_end);
    const bool geographic = check_crs(in.crs, in.transformer, in.centroid.has_value());
    std::optional<Centroid> planar;
    try {
      planar = wkb_centroid(std::as_bytes(std::span(in.geometry.bytes)),
                            geographic && in.check_antimeridian ? Longitudes::ShorterWay : Longitudes::Plain);
    } catch (const FormatError& error) {
      throw SchemaError(std::string("Invalid WKB geometry: ") + error.what());
    }
    if (!planar) throw SchemaError("Geometry is empty");
    if (in.centroid) check_given_centroid(*in.centroid);
    const Binary centroid = in.centroid ? *in.centroid : encode_centroid(on_globe(in.crs, in.transformer, *planar));
    return make_columns("istac", {in.crs, in.geometry, in.time_start, value_of(in.time_end),
                                  middle_of(in.time_start, in.time_end, in.time_middle), centroid});
  });
}

}  // namespace

STAC::STAC(const StacOptions& options) : SampleColumns(stac_columns(options)) {}

ISTAC::ISTAC(const IstacOptions& options) : SampleColumns(istac_columns(options)) {}

}  // namespace tacore::extensions
