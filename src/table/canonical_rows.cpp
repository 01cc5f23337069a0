#include "table/canonical_rows.hpp"

#include <arrow/array.h>
#include <arrow/extension_type.h>
#include <arrow/type.h>
#include <arrow/util/float16.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <string_view>

#include "base/text.hpp"
#include "format/names.hpp"
#include "table/cells.hpp"
#include "tacore/error.hpp"

namespace tacore {
namespace {

void append_number(std::string& out, uint64_t value) {
  for (int i = 0; i < 8; ++i) out += static_cast<char>(value >> (8 * i));
}

void append_text(std::string& out, std::string_view text) {
  append_number(out, text.size());
  out += text;
}

void append_real(std::string& out, double value) {
  constexpr uint64_t kNaN = 0x7FF8'0000'0000'0000;
  out += 'R';
  append_number(out, std::isnan(value) ? kNaN : std::bit_cast<uint64_t>(value));
}

/// A number of units of time, after a letter for its kind and one for the unit.
void append_time(std::string& out, char kind, arrow::TimeUnit::type unit, int64_t value) {
  constexpr char kUnits[] = {'s', 'm', 'u', 'n'};  // by arrow::TimeUnit::type
  out += kind;
  out += kUnits[unit];
  append_number(out, static_cast<uint64_t>(value));
}

void append_value(std::string& out, const arrow::Array& array, int64_t row);

void append_items(std::string& out, const arrow::Array& items, int64_t begin, int64_t count) {
  out += 'L';
  append_number(out, static_cast<uint64_t>(count));
  for (int64_t i = 0; i < count; ++i) append_value(out, items, begin + i);
}

template <class List>
void append_list(std::string& out, const arrow::Array& array, int64_t row) {
  const auto& list = static_cast<const List&>(array);
  append_items(out, *list.values(), list.value_offset(row), list.value_length(row));
}

template <class Array>
auto value_at(const arrow::Array& array, int64_t row) {
  return static_cast<const Array&>(array).Value(row);
}

void append_structure(std::string& out, const arrow::Array& array, int64_t row) {
  const auto& structure = static_cast<const arrow::StructArray&>(array);
  const auto& fields = array.type()->fields();
  out += 'O';
  append_number(out, fields.size());
  for (std::size_t i = 0; i < fields.size(); ++i) {
    append_text(out, fields[i]->name());
    append_value(out, *structure.field(static_cast<int>(i)), row);
  }
}

void append_value(std::string& out, const arrow::Array& array, int64_t row) {
  using arrow::Type;
  if (array.type_id() == Type::NA || array.IsNull(row)) {
    out += 'N';
    return;
  }
  switch (array.type_id()) {
    case Type::BOOL: out += value_at<arrow::BooleanArray>(array, row) ? 'T' : 'F'; return;
    case Type::HALF_FLOAT:
      return append_real(out, arrow::util::Float16::FromBits(value_at<arrow::HalfFloatArray>(array, row)).ToDouble());
    case Type::FLOAT: return append_real(out, value_at<arrow::FloatArray>(array, row));
    case Type::DOUBLE: return append_real(out, value_at<arrow::DoubleArray>(array, row));
    case Type::STRING:
    case Type::LARGE_STRING:
    case Type::STRING_VIEW: out += 'S'; return append_text(out, *text_cell(array, row));
    case Type::BINARY:
    case Type::LARGE_BINARY:
    case Type::BINARY_VIEW:
    case Type::FIXED_SIZE_BINARY: out += 'B'; return append_text(out, *binary_cell(array, row));
    case Type::TIMESTAMP: {
      const auto& type = static_cast<const arrow::TimestampType&>(*array.type());
      return append_time(out, type.timezone().empty() ? 'Y' : 'Z', type.unit(),
                         value_at<arrow::TimestampArray>(array, row));
    }
    case Type::DATE32:
      out += 'D';
      return append_number(out, static_cast<uint64_t>(int64_t{value_at<arrow::Date32Array>(array, row)}));
    case Type::TIME32:
      return append_time(out, 'H', static_cast<const arrow::Time32Type&>(*array.type()).unit(),
                         value_at<arrow::Time32Array>(array, row));
    case Type::TIME64:
      return append_time(out, 'H', static_cast<const arrow::Time64Type&>(*array.type()).unit(),
                         value_at<arrow::Time64Array>(array, row));
    case Type::DURATION:
      return append_time(out, 'P', static_cast<const arrow::DurationType&>(*array.type()).unit(),
                         value_at<arrow::DurationArray>(array, row));
    case Type::DECIMAL128: {
      out += 'M';
      append_number(out,
                    static_cast<uint64_t>(int64_t{static_cast<const arrow::Decimal128Type&>(*array.type()).scale()}));
      // Arrow keeps it as 16 bytes, little-endian.
      out += static_cast<const arrow::FixedSizeBinaryArray&>(array).GetView(row);
      return;
    }
    case Type::LIST:
    case Type::MAP: return append_list<arrow::ListArray>(out, array, row);
    case Type::LARGE_LIST: return append_list<arrow::LargeListArray>(out, array, row);
    case Type::FIXED_SIZE_LIST: return append_list<arrow::FixedSizeListArray>(out, array, row);
    case Type::STRUCT: return append_structure(out, array, row);
    case Type::DICTIONARY: {
      const auto& encoded = static_cast<const arrow::DictionaryArray&>(array);
      return append_value(out, *encoded.dictionary(), encoded.GetValueIndex(row));
    }
    case Type::EXTENSION: return append_value(out, *static_cast<const arrow::ExtensionArray&>(array).storage(), row);
    case Type::UINT64:
      if (const uint64_t value = value_at<arrow::UInt64Array>(array, row); value > INT64_MAX) {
        out += 'U';
        return append_number(out, value);
      }
      [[fallthrough]];
    default: break;
  }
  const auto integer = integer_cell(array, row);
  if (!integer) throw SchemaError("has the type " + array.type()->ToString() + ", of which no proof can be made");
  out += 'I';
  append_number(out, static_cast<uint64_t>(*integer));
}

/// The columns that are part of a proof, by name. Readers that ignore case would see either of two columns.
std::map<std::string, int> proved_columns(const LevelTable& table) {
  std::map<std::string, int> out;
  std::map<std::string, std::string> seen;
  // Readers see an empty name as another one; a table of 2.0 has no derived columns, so that both have the same places.
  const auto& fields = table.stored_schema()->fields();
  for (std::size_t column = 0; column < fields.size(); ++column) {
    const auto& field = fields[column];
    const auto [other, is_new] = seen.emplace(lower(field->name()), field->name());
    if (!is_new) {
      throw SchemaError("has columns " + in_quotes(other->second) + " and " + in_quotes(field->name()) +
                            ", which differ in case at most: no proof can be made of them",
                        table.where());
    }
    if (names::is_internal(field->name())) continue;
    out.emplace(field->name(), static_cast<int>(column));
  }
  return out;
}

}  // namespace

std::vector<std::string> canonical_rows(const LevelTable& table, int64_t begin, int64_t end) {
  std::vector<std::string> out(static_cast<std::size_t>(end - begin));
  const auto columns = proved_columns(table);
  for (auto& row : out) append_number(row, columns.size());
  for (const auto& [name, column] : columns) {
    for (int64_t row = begin; row < end;) {
      const int group = table.group_of(row);
      const auto array = table.array(column, group);
      const int64_t first = table.group_begin(group), last = std::min(end, table.group_begin(group + 1));
      try {
        for (; row < last; ++row) {
          std::string& bytes = out[static_cast<std::size_t>(row - begin)];
          append_text(bytes, name);
          append_value(bytes, *array, row - first);
        }
      } catch (const SchemaError& error) {
        throw SchemaError("column " + in_quotes(name) + " " + error.message(), table.where());
      }
    }
  }
  return out;
}

}  // namespace tacore
