#include "model/known_crs.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <complex>
#include <numbers>
#include <optional>
#include <utility>

#include "base/longitude.hpp"
#include "base/text.hpp"
#include "tacore/error.hpp"

namespace tacore {
namespace {

constexpr double kDegree = std::numbers::pi / 180;
constexpr double kEquator = 6378137;                                      ///< radius of WGS 84 and of GRS 80, in metres
constexpr double kWgs84 = 1 / 298.257223563, kGrs80 = 1 / 298.257222101;  ///< flattenings

/// UTM zones of which EPSG counts the codes.
struct Zones {
  int first_code, last_code;
  int first_zone;
  bool is_south;
  double flattening;
};
constexpr Zones kZones[] = {
    {32601, 32660, 1, false, kWgs84},   // WGS 84
    {32701, 32760, 1, true, kWgs84},    //
    {25828, 25838, 28, false, kGrs80},  // ETRS89
    {26906, 26923, 6, false, kGrs80},   // NAD83; PROJ shifts it by metres in the Aleutians and Hawaii, zones 1 to 5
    {31965, 31976, 11, false, kGrs80},  // SIRGAS 2000
    {6210, 6211, 23, false, kGrs80},    //
    {31977, 31985, 17, true, kGrs80},   //
    {5396, 5396, 26, true, kGrs80},     //
};

struct Builtin {
  enum Kind { Geographic, WebMercator, Utm } kind;
  const Zones* zones = nullptr;  ///< of Utm
  int zone = 0;                  ///< of Utm
};

std::optional<Builtin> builtin(const std::string& crs) {
  const std::string name = lower(crs);
  if (name == "ogc:crs84") return Builtin{Builtin::Geographic};
  if (!name.starts_with("epsg:")) return std::nullopt;
  int code = 0;
  const char *begin = name.data() + 5, *end = name.data() + name.size();
  if (const auto parsed = std::from_chars(begin, end, code); parsed.ec != std::errc{} || parsed.ptr != end) {
    return std::nullopt;
  }
  if (code == 4326) return Builtin{Builtin::Geographic};
  if (code == 3857) return Builtin{Builtin::WebMercator};
  for (const Zones& zones : kZones) {
    if (code >= zones.first_code && code <= zones.last_code) {
      return Builtin{Builtin::Utm, &zones, zones.first_zone + code - zones.first_code};
    }
  }
  return std::nullopt;
}

/// The inverse of the transverse Mercator projection by the series of Krueger to the sixth order of the third
/// flattening, as C. F. F. Karney gives it (Transverse Mercator with an accuracy of a few nanometers, 2011).
class TransverseMercator {
 public:
  explicit TransverseMercator(double flattening) : e2_(flattening * (2 - flattening)), e_(std::sqrt(e2_)) {
    const double n = flattening / (2 - flattening), n2 = n * n, n3 = n2 * n, n4 = n3 * n, n5 = n4 * n, n6 = n5 * n;
    radius_ = kEquator / (1 + n) * (1 + n2 / 4 + n4 / 64 + n6 / 256);
    beta_ = {n / 2 - 2 * n2 / 3 + 37 * n3 / 96 - n4 / 360 - 81 * n5 / 512 + 96199 * n6 / 604800,
             n2 / 48 + n3 / 15 - 437 * n4 / 1440 + 46 * n5 / 105 - 1118711 * n6 / 3870720,
             17 * n3 / 480 - 37 * n4 / 840 - 209 * n5 / 4480 + 5569 * n6 / 90720,
             4397 * n4 / 161280 - 11 * n5 / 504 - 830251 * n6 / 7257600,
             4583 * n5 / 161280 - 108847 * n6 / 3991680,
             20648693 * n6 / 638668800};
  }

  /// Latitude and longitude from the central meridian, in degrees, of metres on the ellipsoid from the equator and from
  /// that meridian; nullopt where the series do not converge, half of the globe away.
  std::optional<LonLat> inverse(double east, double north) const {
    const std::complex<double> zeta(north / radius_, east / radius_);
    if (!(std::abs(zeta.imag()) <= kFarthest && std::abs(zeta.real()) <= std::numbers::pi)) return std::nullopt;
    // The sum of beta[j] * sin(2 * (j + 1) * zeta), by Clenshaw's recurrence.
    const std::complex<double> twice_cos = 2. * std::cos(2. * zeta);
    std::complex<double> sum = 0, previous = 0;
    for (auto beta = beta_.rbegin(); beta != beta_.rend(); ++beta) {
      previous = std::exchange(sum, *beta + twice_cos * sum - previous);
    }
    const std::complex<double> on_sphere = zeta - sum * std::sin(2. * zeta);
    const double sinh_eta = std::sinh(on_sphere.imag()), cos_xi = std::cos(on_sphere.real());
    const double tan_conformal = std::sin(on_sphere.real()) / std::hypot(sinh_eta, cos_xi);
    return LonLat{std::atan2(sinh_eta, cos_xi) / kDegree, std::atan(tan_latitude(tan_conformal)) / kDegree};
  }

 private:
  static constexpr double kFarthest = 2.6;  ///< as in PROJ: about 150 degrees from the meridian on the equator

  /// The tangent of the latitude whose conformal latitude has the tangent `conformal`, by Newton's method.
  double tan_latitude(double conformal) const {
    double tau = conformal / (1 - e2_);
    for (int i = 0; i < 5; ++i) {
      const double secant = std::sqrt(1 + tau * tau);
      const double sigma = std::sinh(e_ * std::atanh(e_ * tau / secant));
      const double found = tau * std::sqrt(1 + sigma * sigma) - sigma * secant;
      const double step =
          (conformal - found) / std::sqrt(1 + found * found) * (1 + (1 - e2_) * tau * tau) / ((1 - e2_) * secant);
      tau += step;
      if (!(std::abs(step) > 1e-12 * secant)) break;
    }
    return tau;
  }

  double e2_, e_;
  double radius_ = 0;
  std::array<double, 6> beta_ = {};
};

std::optional<LonLat> from_utm(const Builtin& crs, double x, double y) {
  static const TransverseMercator wgs84(kWgs84), grs80(kGrs80);
  constexpr double kScale = 0.9996, kFalseEasting = 500000, kFalseNorthing = 10000000;
  const auto& projection = crs.zones->flattening == kWgs84 ? wgs84 : grs80;
  const double north = crs.zones->is_south ? y - kFalseNorthing : y;
  auto out = projection.inverse((x - kFalseEasting) / kScale, north / kScale);
  if (out) out->lon = wrap_longitude(out->lon + crs.zone * 6 - 183);
  return out;
}

/// The formulas of a sphere for latitudes of the ellipsoid.
LonLat from_web_mercator(double x, double y) {
  constexpr double kRounding = 1e-9;
  double lon = x / kEquator / kDegree;
  if (std::abs(lon) > 180) lon = std::abs(lon) < 180 + kRounding ? std::copysign(180, lon) : wrap_longitude(lon);
  return {lon, std::atan(std::sinh(y / kEquator)) / kDegree};
}

}  // namespace

bool is_wgs84(const std::string& crs) {
  const auto known = builtin(crs);
  return crs.empty() || (known && known->kind == Builtin::Geographic);
}

bool is_geographic(const std::string& crs, const CrsTransformer* transformer) {
  if (crs.empty()) throw SchemaError("Invalid CRS: it is empty, expected a code such as EPSG:32630");
  if (const auto known = builtin(crs)) return known->kind == Builtin::Geographic;
  if (transformer) return transformer->is_geographic(crs);
  throw SchemaError("Invalid CRS: " + quoted(crs) +
                    " is not known without a CrsTransformer; pass one (tacore_gdal has it), or use EPSG:4326, "
                    "EPSG:3857 or a UTM zone of WGS 84, ETRS89, NAD83 or SIRGAS 2000");
}

LonLat to_wgs84(const std::string& crs, double x, double y, const CrsTransformer* transformer) {
  const auto known = builtin(crs);
  if (!known) {
    if (!transformer) is_geographic(crs, nullptr);  // Throws.
    return transformer->to_wgs84(crs, x, y);
  }
  std::optional<LonLat> out = LonLat{x, y};
  if (known->kind == Builtin::WebMercator) out = from_web_mercator(x, y);
  if (known->kind == Builtin::Utm) out = from_utm(*known, x, y);
  if (!out || !std::isfinite(out->lon) || !std::isfinite(out->lat)) {
    throw SchemaError("CRS " + quoted(crs) + ": no longitude and latitude for (" + std::to_string(x) + ", " +
                      std::to_string(y) + ")");
  }
  return *out;
}

}  // namespace tacore
