#include "table/derived_column.hpp"

#include <arrow/array.h>
#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/array/util.h>
#include <arrow/scalar.h>
#include <arrow/type.h>

#include <cmath>

#include "base/text.hpp"
#include "format/names.hpp"
#include "table/arrow_error.hpp"
#include "table/cells.hpp"

namespace tacore {
namespace {

/// Offsets and sizes of 2^63 and more cannot lie in a file.
constexpr double kEnd = 9223372036854775808.0;

std::optional<double> real_cell(const arrow::Array& array, int64_t i) {
  if (array.IsNull(i)) return std::nullopt;
  if (array.type_id() == arrow::Type::DOUBLE) return static_cast<const arrow::DoubleArray&>(array).Value(i);
  if (array.type_id() == arrow::Type::FLOAT) return static_cast<const arrow::FloatArray&>(array).Value(i);
  return std::nullopt;
}

std::shared_ptr<arrow::Array> whole_numbers(const DerivedColumn& column, const arrow::Array& from, int64_t first,
                                            const ErrorContext& where) {
  arrow::Int64Builder out;
  check(out.Reserve(from.length()));
  for (int64_t i = 0; i < from.length(); ++i) {
    auto value = integer_cell(from, i);
    if (const auto real = real_cell(from, i)) {
      if (!(*real == std::floor(*real) && std::abs(*real) < kEnd)) {
        throw FormatError("row " + std::to_string(first + i) + ": " + column.from + " is " + std::to_string(*real) +
                              ", a whole number expected",
                          where);
      }
      value = static_cast<int64_t>(*real);
    }
    int64_t sum = 0;
    if (value && __builtin_add_overflow(*value, column.add, &sum)) {
      throw FormatError("row " + std::to_string(first + i) + ": " + column.from + " is " + std::to_string(*value) +
                            ", from byte " + std::to_string(column.add) + " on; below 2^63 expected",
                        where);
    }
    if (value) {
      out.UnsafeAppend(sum);
    } else {
      out.UnsafeAppendNull();
    }
  }
  return check(out.Finish());
}

std::shared_ptr<arrow::Array> types(const arrow::Array& formats) {
  arrow::StringBuilder out;
  check(out.Reserve(formats.length()));
  for (int64_t i = 0; i < formats.length(); ++i) {
    const auto format = text_cell(formats, i);
    check(out.Append(format && is_nested(*format) ? "FOLDER" : "FILE"));
  }
  return check(out.Finish());
}

void check_text(const arrow::Array& ids, int64_t first, const ErrorContext& where) {
  for (int64_t i = 0; i < ids.length(); ++i) {
    const auto id = text_cell(ids, i);
    if (id && is_utf8(*id)) continue;
    throw FormatError("row " + std::to_string(first + i) + ": the id is " + (id ? "not UTF-8" : "null"), where);
  }
}

}  // namespace

std::shared_ptr<arrow::DataType> derived_type(const DerivedColumn& column, const std::shared_ptr<arrow::DataType>& from,
                                              const ErrorContext& where) {
  const auto fail = [&](const char* expected) {
    throw SchemaError(
        "column " + in_quotes(column.from) + " has type " + type_name(*from) + ", " + expected + " expected", where);
  };
  switch (column.kind) {
    case DerivedColumn::Kind::Constant: return arrow::utf8();
    case DerivedColumn::Kind::Type:
      if (!is_text(*from)) fail("string");
      return arrow::utf8();
    case DerivedColumn::Kind::Whole:
      if (!arrow::is_integer(from->id()) && from->id() != arrow::Type::FLOAT && from->id() != arrow::Type::DOUBLE)
        fail("int64");
      return arrow::int64();
    case DerivedColumn::Kind::Hidden:
    case DerivedColumn::Kind::Copy:
      if (column.name == names::kId && !is_text(*from)) fail("string");
      return from;
  }
  return from;
}

bool is_nested(std::string_view format) { return lower(format) == "tortilla"; }

std::shared_ptr<arrow::Array> derive_array(const DerivedColumn& column, const std::shared_ptr<arrow::Array>& from,
                                           int64_t first, const ErrorContext& where) {
  switch (column.kind) {
    case DerivedColumn::Kind::Whole: return whole_numbers(column, *from, first, where);
    case DerivedColumn::Kind::Type: return types(*from);
    case DerivedColumn::Kind::Copy:
    case DerivedColumn::Kind::Constant:
    case DerivedColumn::Kind::Hidden: break;
  }
  if (column.name == names::kId) check_text(*from, first, where);
  return from;
}

std::shared_ptr<arrow::Array> constant_array(const std::string& text, int64_t rows) {
  return check(arrow::MakeArrayFromScalar(arrow::StringScalar(text), rows));
}

}  // namespace tacore
