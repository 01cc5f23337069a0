#pragma once

#include <arrow/type_fwd.h>

#include <memory>
#include <string_view>

/// The columns whose names the specification and its extensions reserve, and what they hold.
namespace tacore {

enum class FieldKind { Crs, Shape, Geotransform, Time, Point, Geometry, Stats, Number, Text };

struct ReservedField {
  std::string_view name;
  FieldKind kind;
  bool only_v1 = false;
};

inline constexpr ReservedField kReservedFields[] = {
    {"stac:crs", FieldKind::Crs},
    {"stac:tensor_shape", FieldKind::Shape},
    {"stac:raster_shape", FieldKind::Shape},
    {"stac:geotransform", FieldKind::Geotransform},
    {"stac:time_start", FieldKind::Time},
    {"stac:time_middle", FieldKind::Time},
    {"stac:time_end", FieldKind::Time},
    {"stac:centroid", FieldKind::Point},
    {"istac:crs", FieldKind::Crs},
    {"istac:geometry", FieldKind::Geometry},
    {"istac:time_start", FieldKind::Time},
    {"istac:time_middle", FieldKind::Time},
    {"istac:time_end", FieldKind::Time},
    {"istac:centroid", FieldKind::Point},
    {"split", FieldKind::Text},
    {"tortilla:data_split", FieldKind::Text},
    {"geotiff:stats", FieldKind::Stats},
    {"internal:stats", FieldKind::Stats, true},
    {"rai:elevation", FieldKind::Number, true},
    {"rai:ele", FieldKind::Number, true},
    {"rai:cisi", FieldKind::Number, true},
    {"rai:gdp", FieldKind::Number, true},
    {"rai:gmi", FieldKind::Number, true},
    {"rai:hdi", FieldKind::Number, true},
    {"rai:pop", FieldKind::Number, true},
};

/// The type that the field requires; "" when `type`, as type_name() spells it, is suitable.
std::string_view expected_type(FieldKind kind, std::string_view type, bool is_v1);

/// The metadata of a level of 2.0 with reserved columns in their types, where that changes no value: days and text to
/// timestamps, points as text or pairs to WKB, shapes to integers. Returns `columns` itself, which may be nullptr, when
/// nothing changes. Throws SchemaError that names level, column, and row or type.
std::shared_ptr<arrow::Table> with_reserved_types(const std::shared_ptr<arrow::Table>& columns, int level);

}  // namespace tacore
