#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/longitude.hpp"
#include "tacore/bbox.hpp"

/// Geometry tests for filter_bbox, without a library: Well-Known Binary (OGC 06-103r4, ISO and EWKB
/// flavours, both byte orders, Z/M skipped, SRID skipped) and WKT points.
namespace tacore {

/// A query box, split at the antimeridian once: a geometry meets the box when it meets a part.
class BoxTest {
 public:
  /// Throws QueryError when the box is not valid().
  explicit BoxTest(const BBox& box);

  /// True when the geometry and the box share a point: points, lines, polygons with holes, multis
  /// and collections, exactly (not only their envelopes). Longitudes count modulo 360, those of
  /// lines and polygons within four turns of the globe. An edge is the straight line between its
  /// two longitudes as they are, so that one from 179 to -179 goes the long way (RFC 7946, 3.1.9).
  /// Empty geometries meet nothing; positions that are not finite are ignored. Throws
  /// FormatError for bytes that are not WKB (cut short, unknown type, counts beyond the bytes,
  /// nesting deeper than 16). Bytes after the geometry are ignored, as other readers do.
  bool meets_wkb(std::span<const std::byte> wkb) const;
  /// `POINT (lon lat)`, any case and spacing, `POINT EMPTY`, optional Z/M and `SRID=..;`. nullopt
  /// when the text is not a point.
  std::optional<bool> meets_wkt(std::string_view wkt) const;
  bool meets_point(double lon, double lat) const noexcept;
  /// False only if no geometry whose positions are all in `envelope` can meet the box.
  bool may_meet(BBox envelope) const noexcept;

 private:
  bool meets_any_wkb(std::span<const std::byte> wkb) const;

  std::array<LongitudeArc, 2> arcs_;
  double miny_;
  double maxy_;
};

/// The envelope of a WKB geometry in its own coordinates; nullopt for an empty one. Throws
/// FormatError as meets_wkb.
std::optional<BBox> wkb_envelope(std::span<const std::byte> wkb);

/// The envelope of each of its points, lines and polygons that is not empty: a MultiPolygon that is cut at the
/// antimeridian has one on either side. Throws FormatError as meets_wkb.
std::vector<BBox> wkb_part_envelopes(std::span<const std::byte> wkb);

/// The envelope of a WKT point, as BoxTest::meets_wkt() reads it; nullopt for an empty one and for other text.
std::optional<BBox> wkt_point_envelope(std::string_view wkt);

}  // namespace tacore
