#include "table/column_check.hpp"

#include <arrow/array.h>
#include <arrow/type.h>

#include <cstdint>
#include <optional>
#include <set>

#include "base/text.hpp"
#include "table/cells.hpp"
#include "tacore/error.hpp"

namespace tacore {
namespace {

constexpr int kMaxNesting = 32;  // readers of Parquet stop at a hundred nested nodes, of which a list takes two

/// Why a type cannot be stored, "" when it can.
std::string why_not(const arrow::DataType& type, int nesting) {
  switch (type.id()) {
    case arrow::Type::HALF_FLOAT:
    case arrow::Type::DECIMAL256:
    case arrow::Type::INTERVAL_MONTHS:
    case arrow::Type::INTERVAL_DAY_TIME:
    case arrow::Type::INTERVAL_MONTH_DAY_NANO:
    case arrow::Type::SPARSE_UNION:
    case arrow::Type::DENSE_UNION:
    case arrow::Type::RUN_END_ENCODED:
    case arrow::Type::LIST_VIEW:
    case arrow::Type::LARGE_LIST_VIEW:
    case arrow::Type::EXTENSION: return "has type " + type_name(type) + ", which readers do not support";
    case arrow::Type::TIMESTAMP:
      if (static_cast<const arrow::TimestampType&>(type).unit() != arrow::TimeUnit::SECOND) break;
      return "has type " + type_name(type) + ", which Parquet lacks; timestamp[us] expected";
    case arrow::Type::TIME32:
      if (static_cast<const arrow::Time32Type&>(type).unit() != arrow::TimeUnit::SECOND) break;
      return "has type " + type_name(type) + ", which Parquet lacks; time32[ms] expected";
    case arrow::Type::DATE64: return "has type " + type_name(type) + ", which Parquet lacks; date32[day] expected";
    case arrow::Type::FIXED_SIZE_LIST:
      if (static_cast<const arrow::FixedSizeListType&>(type).list_size() > 0) break;
      return "has type " + type_name(type) + "; lists of at least one item expected";
    case arrow::Type::DICTIONARY:
      return why_not(*static_cast<const arrow::DictionaryType&>(type).value_type(), nesting);
    default: break;
  }
  if (type.num_fields() > 0 && nesting == kMaxNesting) {
    return "has more than " + std::to_string(kMaxNesting) + " nested lists and structs";
  }
  if (type.id() == arrow::Type::STRUCT) {
    if (type.num_fields() == 0) return "has a struct without fields; at least one expected";
    std::set<std::string> names;
    for (const auto& field : type.fields()) {
      if (!is_utf8(field->name())) return "has a struct with field " + quoted(field->name()) + ", which is not UTF-8";
      if (!names.insert(lower(field->name())).second) {
        return "has a struct with two fields " + quoted(field->name()) + "; names must differ in more than case";
      }
    }
  }
  for (const auto& field : type.fields()) {
    if (auto why = why_not(*field->type(), nesting + 1); !why.empty()) return why;
  }
  return "";
}

/// The first time that does not fit microseconds, which SQL has.
std::optional<int64_t> first_beyond_microseconds(const arrow::Array& values) {
  if (values.type_id() != arrow::Type::TIMESTAMP) return std::nullopt;
  const auto& times = static_cast<const arrow::TimestampArray&>(values);
  if (static_cast<const arrow::TimestampType&>(*times.type()).unit() != arrow::TimeUnit::MILLI) return std::nullopt;
  constexpr int64_t kMost = INT64_MAX / 1000;
  for (int64_t row = 0; row < times.length(); ++row) {
    if (!times.IsNull(row) && (times.Value(row) > kMost || times.Value(row) < -kMost)) return row;
  }
  return std::nullopt;
}

}  // namespace

void check_column(const std::string& name, const arrow::Array& values) {
  std::string why = why_not(*values.type(), 0);
  if (why.empty()) {
    if (const auto row = first_beyond_microseconds(values)) {
      throw SchemaError("field " + quoted(name) + " has a time in row " + std::to_string(*row) +
                        " that does not fit microseconds in 64 bits");
    }
    const auto status = values.ValidateFull();
    if (status.ok()) return;
    const auto row = first_not_utf8(values);
    why = row ? "is not UTF-8 in row " + std::to_string(*row)
              : "is damaged or not UTF-8: " + status.message().substr(0, status.message().find('\n'));
  }
  throw SchemaError("field " + quoted(name) + " " + why);
}

}  // namespace tacore
