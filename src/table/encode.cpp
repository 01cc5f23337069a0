#include "table/encode.hpp"

#include <arrow/array.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>
#include <arrow/type.h>
#include <arrow/util/float16.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "base/number_text.hpp"
#include "base/text.hpp"
#include "model/json_text.hpp"
#include "model/wkt.hpp"
#include "table/arrow_error.hpp"
#include "table/arrow_stream.hpp"
#include "table/cells.hpp"
#include "table/level_table.hpp"
#include "table/parquet_write.hpp"
#include "tacore/time_range.hpp"

namespace tacore {
namespace {

using tabular::Encoding;
using tabular::Output;

// The widest cell that a table for people shows; other formats have no limit.
constexpr std::size_t kMaxCell = 32;

int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0); }

/// The infinite times of SQL.
template <class Integer>
bool is_infinite(Integer value) {
  return value == std::numeric_limits<Integer>::max() || value == -std::numeric_limits<Integer>::max();
}

/// A time in RFC 3339, with more than four digits for years beyond 9999 (ISO 8601); nothing for times beyond the range
/// of microseconds in 64 bits.
std::string timestamp_text(int64_t value, arrow::TimeUnit::type unit) {
  constexpr int64_t kPerSecond = 1'000'000;
  const int64_t scale = unit == arrow::TimeUnit::SECOND ? kPerSecond : unit == arrow::TimeUnit::MILLI ? 1000 : 1;
  int64_t us = value;
  if (unit == arrow::TimeUnit::NANO) {
    us = floor_div(value, 1000);
    if (const int64_t ns = value - us * 1000; ns != 0) {
      const int64_t second = floor_div(us, kPerSecond);
      std::string fraction = std::to_string(1'000'000'000 + (us - second * kPerSecond) * 1000 + ns);
      fraction[0] = '.';
      std::string out = Timestamp{second * kPerSecond}.to_string();
      return out.insert(out.size() - 1, fraction);
    }
  } else if (__builtin_mul_overflow(value, scale, &us)) {
    return "";
  }
  return Timestamp{us}.to_string();
}

std::string date_text(int32_t days) {
  int64_t us = 0;
  if (__builtin_mul_overflow(int64_t{days}, int64_t{86'400'000'000}, &us)) return "";
  const std::string out = Timestamp{us}.to_string();
  return out.substr(0, out.find('T'));
}

/// A duration in ISO 8601: P1M2DT3.5S, each part with its own sign.
std::string interval_text(int64_t months, int64_t days, int64_t nanoseconds) {
  constexpr int64_t kPerSecond = 1'000'000'000;
  std::string out = "P";
  if (months != 0) out += std::to_string(months) + "M";
  if (days != 0) out += std::to_string(days) + "D";
  if (nanoseconds == 0) return out.size() == 1 ? "PT0S" : out;
  out += nanoseconds < 0 ? "T-" : "T";
  const uint64_t size =
      nanoseconds < 0 ? uint64_t{0} - static_cast<uint64_t>(nanoseconds) : static_cast<uint64_t>(nanoseconds);
  out += std::to_string(size / kPerSecond);
  if (size % kPerSecond != 0) {
    std::string fraction = std::to_string(kPerSecond + size % kPerSecond);
    fraction[0] = '.';
    out += fraction.substr(0, fraction.find_last_not_of('0') + 1);
  }
  return out + "S";
}

/// A cell: its text, and its form in JSON: quoted, or null for what JSON lacks (NaN and infinities).
struct CellText {
  std::string text;
  bool is_string = false;
  bool is_null = false;
  bool is_in_json = true;
};
const CellText kNull{"", false, true};

void append_json(const arrow::Array& array, int64_t row, std::string& out);

std::string json_list(const arrow::Array& items) {
  std::string out = "[";
  for (int64_t i = 0; i < items.length(); ++i) {
    if (i > 0) out += ", ";
    append_json(items, i, out);
  }
  return out + "]";
}

std::string json_struct(const arrow::StructArray& array, int64_t row) {
  std::string out = "{";
  for (int i = 0; i < array.num_fields(); ++i) {
    if (i > 0) out += ", ";
    out += json_string(array.type()->field(i)->name()) + ": ";
    append_json(*array.field(i), row, out);
  }
  return out + "}";
}

template <class Number>
CellText float_cell(Number value) {
  if (std::isnan(value)) return {.text = "NaN", .is_in_json = false};
  if (std::isinf(value)) return {.text = value > 0 ? "inf" : "-inf", .is_in_json = false};
  return {number_text(value)};
}

CellText infinity_cell(bool is_positive) {
  return {.text = is_positive ? "infinity" : "-infinity", .is_in_json = false};
}

CellText other_cell(const arrow::Array& array, int64_t row) {
  const auto scalar = check(array.GetScalar(row));
  return {scalar->ToString(), true};
}

CellText cell_text(const arrow::Array& array, int64_t row) {
  if (array.IsNull(row)) return kNull;
  if (const auto text = text_cell(array, row)) return {std::string(*text), true};
  if (const auto whole = integer_cell(array, row)) return {std::to_string(*whole)};
  switch (array.type_id()) {
    case arrow::Type::NA: return kNull;
    case arrow::Type::BOOL: return {static_cast<const arrow::BooleanArray&>(array).Value(row) ? "true" : "false"};
    case arrow::Type::UINT64: return {std::to_string(static_cast<const arrow::UInt64Array&>(array).Value(row))};
    case arrow::Type::HALF_FLOAT: {
      const uint16_t bits = static_cast<const arrow::HalfFloatArray&>(array).Value(row);
      return float_cell(arrow::util::Float16::FromBits(bits).ToFloat());
    }
    case arrow::Type::FLOAT: return float_cell(static_cast<const arrow::FloatArray&>(array).Value(row));
    case arrow::Type::DOUBLE: return float_cell(static_cast<const arrow::DoubleArray&>(array).Value(row));
    case arrow::Type::DECIMAL128: return {static_cast<const arrow::Decimal128Array&>(array).FormatValue(row)};
    case arrow::Type::BINARY:
      return {base64(bytes_of(static_cast<const arrow::BinaryArray&>(array).GetView(row))), true};
    case arrow::Type::LARGE_BINARY:
      return {base64(bytes_of(static_cast<const arrow::LargeBinaryArray&>(array).GetView(row))), true};
    case arrow::Type::FIXED_SIZE_BINARY:
      return {base64(bytes_of(static_cast<const arrow::FixedSizeBinaryArray&>(array).GetView(row))), true};
    case arrow::Type::TIMESTAMP: {
      const auto& type = static_cast<const arrow::TimestampType&>(*array.type());
      const int64_t value = static_cast<const arrow::TimestampArray&>(array).Value(row);
      if (is_infinite(value)) return infinity_cell(value > 0);
      std::string text = timestamp_text(value, type.unit());
      return text.empty() ? other_cell(array, row) : CellText{std::move(text), true};
    }
    case arrow::Type::DATE32: {
      const int32_t days = static_cast<const arrow::Date32Array&>(array).Value(row);
      if (is_infinite(days)) return infinity_cell(days > 0);
      std::string text = date_text(days);
      return text.empty() ? other_cell(array, row) : CellText{std::move(text), true};
    }
    case arrow::Type::DURATION: {
      const auto unit = static_cast<const arrow::DurationType&>(*array.type()).unit();
      const int64_t scale[] = {1'000'000'000, 1'000'000, 1000, 1};
      int64_t ns = 0;
      if (__builtin_mul_overflow(static_cast<const arrow::DurationArray&>(array).Value(row), scale[unit], &ns)) {
        return other_cell(array, row);
      }
      return {interval_text(0, 0, ns), true};
    }
    case arrow::Type::INTERVAL_MONTH_DAY_NANO: {
      const auto value = static_cast<const arrow::MonthDayNanoIntervalArray&>(array).GetValue(row);
      return {interval_text(value.months, value.days, value.nanoseconds), true};
    }
    case arrow::Type::DICTIONARY: {
      const auto& encoded = static_cast<const arrow::DictionaryArray&>(array);
      return cell_text(*encoded.dictionary(), encoded.GetValueIndex(row));
    }
    case arrow::Type::SPARSE_UNION: {
      const auto& one_of = static_cast<const arrow::SparseUnionArray&>(array);
      return cell_text(*one_of.field(one_of.child_id(row)), row);
    }
    case arrow::Type::DENSE_UNION: {
      const auto& one_of = static_cast<const arrow::DenseUnionArray&>(array);
      return cell_text(*one_of.field(one_of.child_id(row)), one_of.value_offset(row));
    }
    case arrow::Type::LIST:
    case arrow::Type::MAP:  // a list of {"key": ..., "value": ...}
      return {json_list(*static_cast<const arrow::ListArray&>(array).value_slice(row))};
    case arrow::Type::LARGE_LIST:
      return {json_list(*static_cast<const arrow::LargeListArray&>(array).value_slice(row))};
    case arrow::Type::FIXED_SIZE_LIST:
      return {json_list(*static_cast<const arrow::FixedSizeListArray&>(array).value_slice(row))};
    case arrow::Type::STRUCT: return {json_struct(static_cast<const arrow::StructArray&>(array), row)};
    default: return other_cell(array, row);
  }
}

/// The cell of a column with this name: a geometry is Well-Known Text where that loses nothing.
CellText column_cell(bool is_geometry, const arrow::Array& array, int64_t row) {
  if (is_geometry && !array.IsNull(row)) {
    if (const auto bytes = binary_cell(array, row)) {
      if (auto wkt = wkt_of(bytes_of(*bytes))) return {std::move(*wkt), true};
    }
  }
  return cell_text(array, row);
}

std::vector<bool> geometries_of(const arrow::Schema& schema) {
  std::vector<bool> out;
  for (const auto& field : schema.fields()) out.push_back(is_geometry_column(field->name()));
  return out;
}

void append_json(const CellText& cell, std::string& out) {
  if (cell.is_null || !cell.is_in_json) {
    out += "null";
  } else {
    out += cell.is_string ? json_string(cell.text) : cell.text;
  }
}

void append_json(const arrow::Array& array, int64_t row, std::string& out) { append_json(cell_text(array, row), out); }

void encode_json(arrow::RecordBatchReader& batches, Output& output) {
  std::vector<std::string> names;
  for (const auto& field : batches.schema()->fields()) names.push_back(json_string(field->name()) + ": ");
  const std::vector<bool> is_geometry = geometries_of(*batches.schema());
  std::string out = "[";
  bool first = true;
  while (const auto batch = read_batch(batches)) {
    for (int64_t row = 0; row < batch->num_rows(); ++row) {
      out += first ? "\n{" : ",\n{";
      first = false;
      for (int c = 0; c < batch->num_columns(); ++c) {
        if (c > 0) out += ", ";
        out += names[static_cast<std::size_t>(c)];
        append_json(column_cell(is_geometry[static_cast<std::size_t>(c)], *batch->column(c), row), out);
      }
      out += "}";
    }
    output.write(out);
    out.clear();
  }
  output.write(out + (first ? "]\n" : "\n]\n"));
}

/// CSV by RFC 4180, except that lines end with LF, as command-line tools expect; quotes only where they are needed.
std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos && !text.empty()) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + "\"";
}

void encode_csv(arrow::RecordBatchReader& batches, Output& output) {
  std::string out;
  for (const auto& field : batches.schema()->fields()) out += (out.empty() ? "" : ",") + csv_field(field->name());
  out += "\n";
  const std::vector<bool> is_geometry = geometries_of(*batches.schema());
  while (const auto batch = read_batch(batches)) {
    for (int64_t row = 0; row < batch->num_rows(); ++row) {
      for (int c = 0; c < batch->num_columns(); ++c) {
        if (c > 0) out += ",";
        const CellText cell = column_cell(is_geometry[static_cast<std::size_t>(c)], *batch->column(c), row);
        if (!cell.is_null) out += csv_field(cell.text);  // null is empty, the empty text ""
      }
      out += "\n";
    }
    output.write(out);
    out.clear();
  }
  if (!out.empty()) output.write(out);
}

/// Cuts a text to at most kMaxCell bytes, on one line, at a whole UTF-8 character.
std::string table_cell(const CellText& cell) {
  if (cell.is_null) return "null";
  std::string out = without_controls(cell.text);
  if (out.size() <= kMaxCell) return out;
  std::size_t end = kMaxCell - 3;
  while (end > 0 && (static_cast<unsigned char>(out[end]) & 0xC0) == 0x80) --end;
  return out.substr(0, end) + "...";
}

std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

bool is_right_aligned(const arrow::DataType& type) {
  return arrow::is_integer(type.id()) || arrow::is_floating(type.id());
}

std::string table_line(const std::vector<std::string>& cells, const std::vector<std::size_t>& widths,
                       const std::vector<bool>& right) {
  std::string out;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    const std::string pad(widths[c] - width(cells[c]), ' ');
    if (c > 0) out += "  ";
    out += right[c] ? pad + cells[c] : cells[c] + pad;
  }
  while (out.ends_with(' ')) out.pop_back();
  return out + "\n";
}

/// Prints batch by batch; the first one sets the widths, and wider cells of later ones shift their line.
void encode_table(arrow::RecordBatchReader& batches, Output& output) {
  std::vector<std::string> header;
  std::vector<bool> right;
  for (const auto& field : batches.schema()->fields()) {
    header.push_back(table_cell({field->name()}));
    right.push_back(is_right_aligned(*field->type()));
  }
  const std::vector<bool> is_geometry = geometries_of(*batches.schema());
  std::vector<std::size_t> widths;
  for (const auto& name : header) widths.push_back(width(name));
  bool first = true;
  const auto start = [&] {
    if (!first) return;
    first = false;
    std::vector<std::string> rule;
    for (const std::size_t w : widths) rule.emplace_back(w, '-');
    output.write(table_line(header, widths, right) + table_line(rule, widths, right));
  };
  while (const auto batch = read_batch(batches)) {
    std::vector<std::vector<std::string>> lines;
    for (int64_t row = 0; row < batch->num_rows(); ++row) {
      auto& line = lines.emplace_back();
      for (int c = 0; c < batch->num_columns(); ++c) {
        line.push_back(table_cell(column_cell(is_geometry[static_cast<std::size_t>(c)], *batch->column(c), row)));
        auto& w = widths[static_cast<std::size_t>(c)];
        w = std::max(w, width(line.back()));
      }
    }
    start();
    std::string out;
    for (const auto& line : lines) out += table_line(line, widths, right);
    output.write(out);
  }
  start();
}

}  // namespace

std::optional<std::string> cell_as_text(const arrow::Array& array, int64_t row, std::string_view column) {
  CellText cell = column_cell(is_geometry_column(column), array, row);
  return cell.is_null ? std::nullopt : std::optional(std::move(cell.text));
}

void encode_batches(arrow::RecordBatchReader& batches, Encoding encoding, Output& output) {
  switch (encoding) {
    case Encoding::Table: return encode_table(batches, output);
    case Encoding::Csv: return encode_csv(batches, output);
    case Encoding::Json: return encode_json(batches, output);
    case Encoding::Parquet:
      return write_parquet(batches,
                           [&](std::span<const std::byte> bytes) {
                             output.write({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
                           },
                           {.use_content_defined_chunking = false});
  }
}

}  // namespace tacore
