#include "table/covering.hpp"

#include <arrow/array.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/extension_type.h>
#include <arrow/record_batch.h>
#include <arrow/table.h>
#include <arrow/type.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>

#include "base/text.hpp"
#include "format/names.hpp"
#include "model/json_text.hpp"
#include "model/wkb.hpp"
#include "model/wkt.hpp"
#include "table/arrow_error.hpp"
#include "table/cells.hpp"

namespace tacore {
namespace {

constexpr const char* kFirstBoxes = "bbox";
constexpr const char* kOtherBoxes = "_bbox";

std::shared_ptr<arrow::DataType> box_type() {
  static const auto type = [] {
    arrow::FieldVector fields;
    for (const char* side : kBoxSides) fields.push_back(arrow::field(side, arrow::float32()));
    return arrow::struct_(fields);
  }();
  return type;
}

// Boxes end at multiples of this, in degrees 870 m or less: so rounded, they take half the bytes, and a page of them
// rules out as much (bench/RESULTS.md).
constexpr double kStep = 1. / 128;

float rounded_down(double value) {
  constexpr double kMostSteps = 1 << 24;  // float32 holds more only in part
  const double steps = std::floor(value / kStep);
  const auto out = static_cast<float>(std::abs(steps) < kMostSteps ? steps * kStep : value);
  return static_cast<double>(out) > value ? std::nextafter(out, -std::numeric_limits<float>::infinity()) : out;
}
float rounded_up(double value) { return -rounded_down(-value); }

std::shared_ptr<arrow::Array> box_column(const arrow::Array& geometries, const std::string& name, int64_t first,
                                         const ErrorContext& where) {
  arrow::FloatBuilder sides[4];
  arrow::TypedBufferBuilder<bool> valid;
  for (auto& side : sides) check(side.Reserve(geometries.length()));
  check(valid.Reserve(geometries.length()));
  for (int64_t row = 0; row < geometries.length(); ++row) {
    std::optional<BBox> box;
    try {
      if (const auto wkb = binary_cell(geometries, row)) box = wkb_envelope(std::as_bytes(std::span(*wkb)));
    } catch (const FormatError& error) {
      throw SchemaError(name + " of row " + std::to_string(first + row) + " is not a geometry: " + error.message(),
                        where);
    }
    valid.UnsafeAppend(box.has_value());
    const BBox b = box.value_or(BBox{0, 0, 0, 0});
    const float values[] = {rounded_down(b.minx), rounded_down(b.miny), rounded_up(b.maxx), rounded_up(b.maxy)};
    for (int i = 0; i < 4; ++i) {
      if (box) {
        sides[i].UnsafeAppend(values[i]);
      } else {
        sides[i].UnsafeAppendNull();
      }
    }
  }
  arrow::ArrayVector children;
  for (auto& side : sides) children.push_back(check(side.Finish()));
  const int64_t num_null = valid.false_count();
  return std::make_shared<arrow::StructArray>(box_type(), geometries.length(), std::move(children),
                                              check(valid.Finish()), num_null);
}

std::shared_ptr<arrow::Array> storage_of(const std::shared_ptr<arrow::Array>& array) {
  return array->type_id() == arrow::Type::EXTENSION ? static_cast<const arrow::ExtensionArray&>(*array).storage()
                                                    : array;
}

}  // namespace

bool is_wkb(const arrow::DataType& type) {
  if (type.id() == arrow::Type::EXTENSION) {
    const auto& extension = static_cast<const arrow::ExtensionType&>(type);
    return extension.extension_name() == "geoarrow.wkb" && is_wkb(*extension.storage_type());
  }
  return type.id() == arrow::Type::BINARY || type.id() == arrow::Type::LARGE_BINARY ||
         type.id() == arrow::Type::BINARY_VIEW || type.id() == arrow::Type::FIXED_SIZE_BINARY;
}

std::vector<Covering> coverings_of(const arrow::Schema& schema) {
  std::vector<Covering> out;
  const auto is_free = [&](const std::string& name) {
    const auto field = schema.GetFieldByName(name);
    return !field || field->type()->Equals(box_type());
  };
  bool has_short = !is_free(kFirstBoxes);
  // In the order in which filters choose a geometry.
  for (const char* name : {"istac:geometry", "stac:centroid", "istac:centroid"}) {
    const auto field = schema.GetFieldByName(name);
    if (!field || !is_wkb(*field->type())) continue;
    out.push_back({name, has_short ? std::string(name) + kOtherBoxes : kFirstBoxes});
    has_short = true;
  }
  return out;
}

bool has_coverings(const arrow::Schema& schema) {
  return std::ranges::any_of(coverings_of(schema),
                             [&](const Covering& one) { return schema.GetFieldByName(one.boxes) != nullptr; });
}

std::vector<Covering> coverings_in(const arrow::Table& table) { return coverings_of(*table.schema()); }

std::shared_ptr<arrow::Schema> with_coverings(const std::shared_ptr<arrow::Schema>& schema) {
  arrow::FieldVector fields = schema->fields();
  for (const auto& [geometry, boxes] : coverings_of(*schema)) {
    const auto found = schema->GetFieldByName(boxes);
    if (found && !found->type()->Equals(box_type())) {
      throw SchemaError("column " + in_quotes(boxes) + " is " + type_name(*found->type()) +
                        "; the name is that of the bounding boxes of " + in_quotes(geometry));
    }
    if (found) continue;
    const auto internal =
        std::ranges::find_if(fields, [](const auto& field) { return field->name().starts_with(names::kInternal); });
    fields.insert(internal, arrow::field(boxes, box_type()));
  }
  return arrow::schema(std::move(fields), schema->metadata());
}

std::shared_ptr<arrow::RecordBatch> with_coverings(const arrow::RecordBatch& rows,
                                                   const std::shared_ptr<arrow::Schema>& to, int64_t first,
                                                   const ErrorContext& where) {
  const auto coverings = coverings_of(*to);
  arrow::ArrayVector columns;
  for (const auto& field : to->fields()) {
    const auto covering = std::ranges::find(coverings, field->name(), &Covering::boxes);
    columns.push_back(covering == coverings.end() ? rows.GetColumnByName(field->name())
                                                  : box_column(*storage_of(rows.GetColumnByName(covering->geometry)),
                                                               covering->geometry, first, where));
  }
  return arrow::RecordBatch::Make(to, rows.num_rows(), std::move(columns));
}

std::shared_ptr<arrow::Table> with_coverings(const std::shared_ptr<arrow::Table>& table, const ErrorContext& where) {
  if (coverings_of(*table->schema()).empty()) return table;
  const auto to = with_coverings(table->schema());
  arrow::RecordBatchVector batches;
  arrow::TableBatchReader rows(*table);
  int64_t first = 0;
  for (std::shared_ptr<arrow::RecordBatch> batch; check(rows.ReadNext(&batch)), batch; first += batch->num_rows()) {
    batches.push_back(with_coverings(*batch, to, first, where));
  }
  return check(arrow::Table::FromRecordBatches(to, batches));
}

std::string covering_type() { return lower(type_name(*box_type())); }

bool is_covering(std::string_view name, std::string_view type) {
  return (name == kFirstBoxes || name.ends_with(kOtherBoxes)) && type == covering_type();
}

std::string covering_description(const Covering& covering) {
  return "bounding box of " + covering.geometry + ", rounded outwards to 1/128 of its unit";
}

std::string geoparquet_metadata(const arrow::Schema& schema) {
  std::string columns, primary;
  // A geometry may have the CRS that another column states for each row.
  const bool has_crs = schema.GetFieldByName("istac:crs") != nullptr;
  for (const auto& [geometry, boxes] : coverings_of(schema)) {
    if (!schema.GetFieldByName(boxes)) continue;
    std::string sides;
    for (const char* side : kBoxSides) {
      sides +=
          (sides.empty() ? "" : ",") + json_string(side) + ":[" + json_string(boxes) + "," + json_string(side) + "]";
    }
    if (primary.empty()) primary = geometry;
    columns += (columns.empty() ? "" : ",") + json_string(geometry) + ":{\"encoding\":\"WKB\",\"geometry_types\":[]," +
               (has_crs && geometry == "istac:geometry" ? "\"crs\":null," : "") + "\"covering\":{\"bbox\":{" + sides +
               "}}}";
  }
  if (columns.empty()) return "";
  return "{\"version\":\"1.1.0\",\"primary_column\":" + json_string(primary) + ",\"columns\":{" + columns + "}}";
}

}  // namespace tacore
