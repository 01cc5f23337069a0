#include "table/tortilla_columns.hpp"

#include <arrow/array.h>
#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_nested.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/array/util.h>
#include <arrow/compute/cast.h>
#include <arrow/table.h>
#include <arrow/type.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>
#include <span>

#include "base/number_text.hpp"
#include "base/text.hpp"
#include "format/names.hpp"
#include "model/identifier.hpp"
#include "model/wkb.hpp"
#include "model/wkb_centroid.hpp"
#include "table/arrow_error.hpp"
#include "table/cells.hpp"
#include "table/read_table.hpp"
#include "tacore/time_range.hpp"

namespace tacore {
namespace {

using Cells = std::shared_ptr<arrow::Array>;

constexpr std::string_view kSplit = "split", kDataSplit = "tortilla:data_split";
constexpr std::string_view kRasterShape = "stac:raster_shape", kTensorShape = "stac:tensor_shape";
constexpr std::string_view kTortilla = "tortilla:", kEscape = "v1:";
constexpr int64_t kPerSecond = 1'000'000;

/// Columns that locate a sample, and the index of a pandas table.
constexpr std::string_view kPlaces[] = {"tortilla:id",   "tortilla:offset", "tortilla:length",
                                        "tortilla:root", "tortilla:parent", "__index_level_0__"};

bool is_place(std::string_view name) {
  return std::find(std::begin(kPlaces), std::end(kPlaces), name) != std::end(kPlaces);
}

[[noreturn]] void fail(const std::string& column, int64_t row, const std::string& what) {
  throw SchemaError("column " + in_quotes(column) + ", row " + std::to_string(row) + ": " + what);
}

[[noreturn]] void fail_type(const std::string& column, const arrow::Array& values, const char* expected) {
  throw SchemaError("column " + in_quotes(column) + " has type " + type_name(*values.type()) + ", " + expected +
                    " expected");
}

Cells nulls(const Cells& values, const std::shared_ptr<arrow::DataType>& type) {
  return check(arrow::MakeArrayOfNull(type, values->length()));
}

Cells as_it_is(const std::string&, const Cells& values) { return values; }

Cells cast(const std::string& name, const Cells& values, const std::shared_ptr<arrow::DataType>& type) {
  if (values->type()->Equals(type)) return values;
  const auto out = arrow::compute::Cast(*values, type);
  if (!out.ok()) throw SchemaError("column " + in_quotes(name) + ": " + out.status().message());
  return *out;
}

Cells reals(const std::string& name, const Cells& values) {
  return cast(name, values, arrow::list(arrow::field("item", arrow::float64())));
}

bool is_number(const arrow::DataType& type) {
  return arrow::is_integer(type.id()) || type.id() == arrow::Type::FLOAT || type.id() == arrow::Type::DOUBLE;
}

/// A cell of a floating-point column.
double real(const arrow::Array& values, int64_t row) {
  if (values.type_id() == arrow::Type::FLOAT) return static_cast<const arrow::FloatArray&>(values).Value(row);
  return static_cast<const arrow::DoubleArray&>(values).Value(row);
}

/// The number as an integer; nullopt when it has a fraction.
std::optional<int64_t> whole(double value) {
  constexpr double kEnd = 9223372036854775808.0;  // 2^63
  if (!(value >= -kEnd && value < kEnd) || value != std::trunc(value)) return std::nullopt;
  return static_cast<int64_t>(value);
}

/// A time in seconds as microseconds; nullopt where that is not exact.
std::optional<int64_t> microseconds(double seconds) {
  const auto out = whole(std::round(seconds * static_cast<double>(kPerSecond)));
  if (!out || static_cast<double>(*out) / static_cast<double>(kPerSecond) != seconds) return std::nullopt;
  return out;
}

std::optional<int64_t> microseconds_of_cell(const arrow::Array& values, int64_t row) {
  if (!arrow::is_integer(values.type_id())) return microseconds(real(values, row));
  const auto seconds = integer_cell(values, row);
  int64_t out = 0;
  if (!seconds || __builtin_mul_overflow(*seconds, kPerSecond, &out)) return std::nullopt;
  return out;
}

Cells times(const std::string& name, const Cells& values) {
  const auto type = arrow::timestamp(arrow::TimeUnit::MICRO);
  if (values->type_id() == arrow::Type::TIMESTAMP) return values;
  if (values->type_id() == arrow::Type::NA) return nulls(values, type);
  if (!is_number(*values->type())) fail_type(name, *values, "seconds since 1970");
  const bool floating = !arrow::is_integer(values->type_id());
  arrow::TimestampBuilder out(type, arrow::default_memory_pool());
  for (int64_t row = 0; row < values->length(); ++row) {
    if (values->IsNull(row) || (floating && std::isnan(real(*values, row)))) {
      check(out.AppendNull());
      continue;
    }
    const auto time = microseconds_of_cell(*values, row);
    if (!time) fail(name, row, "the time does not fit microseconds in 64 bits exactly");
    check(out.Append(*time));
  }
  return check(out.Finish());
}

/// Integers where all numbers are whole; else the values as they are.
Cells whole_numbers(const std::string&, const Cells& values) {
  if (values->type_id() != arrow::Type::FLOAT && values->type_id() != arrow::Type::DOUBLE) return values;
  arrow::Int64Builder out;
  for (int64_t row = 0; row < values->length(); ++row) {
    const auto number = values->IsNull(row) ? std::optional<int64_t>(0) : whole(real(*values, row));
    if (!number) return values;
    check(values->IsNull(row) ? out.AppendNull() : out.Append(*number));
  }
  return check(out.Finish());
}

/// `digits` are those after the decimal point of a second.
bool has_more_than_microseconds(std::string_view digits) {
  const auto end = std::min(digits.find_first_not_of("0123456789"), digits.size());
  return end > 6 && digits.substr(6, end - 6).find_first_not_of('0') != digits.npos;
}

std::optional<Centroid> point_of_cell(const arrow::Array& values, int64_t row) {
  if (is_text(*values.type())) {
    const auto at = wkt_point_envelope(*text_cell(values, row));
    return at ? std::optional(Centroid{at->minx, at->miny}) : std::nullopt;
  }
  if (const auto wkb = binary_cell(values, row)) return point_of_wkb(std::as_bytes(std::span(*wkb)));
  const auto& list = static_cast<const arrow::ListArray&>(values);
  if (list.value_length(row) != 2) return std::nullopt;
  const auto items = list.value_slice(row);
  if (items->null_count() > 0) return std::nullopt;
  return Centroid{real(*items, 0), real(*items, 1)};
}

/// A point in a cell that is not null: text, WKB or two floating-point numbers.
Centroid point(const std::string& column, const arrow::Array& values, int64_t row) {
  std::optional<Centroid> at;
  try {
    at = point_of_cell(values, row);
  } catch (const FormatError& error) {
    fail(column, row, error.message());
  }
  if (!at) fail(column, row, "expected a point of longitude and latitude");
  return *at;
}

}  // namespace

Cells whole_shapes(const std::string& name, const Cells& values) {
  return cast(name, values, arrow::list(arrow::field("item", arrow::int64())));
}

Cells timestamps(const std::string& name, const Cells& values) {
  const auto type = arrow::timestamp(arrow::TimeUnit::MICRO);
  if (values->type_id() == arrow::Type::TIMESTAMP) return values;
  if (values->type_id() == arrow::Type::NA) return nulls(values, type);
  if (values->type_id() == arrow::Type::DATE32) return cast(name, values, type);
  if (!is_text(*values->type())) fail_type(name, *values, "timestamp[us]");
  arrow::TimestampBuilder out(type, arrow::default_memory_pool());
  for (int64_t row = 0; row < values->length(); ++row) {
    const auto text = text_cell(*values, row);
    try {
      check(text ? out.Append(Timestamp::parse(*text).microseconds) : out.AppendNull());
    } catch (const QueryError& error) {
      fail(name, row, error.message());
    }
    const auto point = text ? text->find('.') : std::string_view::npos;
    if (point != std::string_view::npos && has_more_than_microseconds(text->substr(point + 1)))
      fail(name, row, in_quotes(*text) + " is finer than microseconds");
  }
  return check(out.Finish());
}

Cells wkb_points(const std::string& name, const Cells& values) {
  Cells from = values;
  if (from->type_id() == arrow::Type::NA) return nulls(from, arrow::binary());
  if (arrow::is_list_like(from->type_id())) from = reals(name, from);
  else if (!is_text(*from->type()) && !arrow::is_binary_like(from->type_id())) fail_type(name, *from, "WKT");
  arrow::BinaryBuilder out;
  for (int64_t row = 0; row < from->length(); ++row) {
    if (from->IsNull(row)) {
      check(out.AppendNull());
      continue;
    }
    const Centroid at = point(name, *from, row);
    check(out.Append(wkb_point(at.x, at.y)));
  }
  return check(out.Finish());
}

namespace {

/// A column of v1, its name in v2, and the conversion.
struct Mapping {
  std::string_view v1, v2;
  Cells (*convert)(const std::string& name, const Cells& values);
};

constexpr Mapping kMappings[] = {
    {kDataSplit, kSplit, as_it_is},
    {kRasterShape, kTensorShape, whole_shapes},
    {kTensorShape, kTensorShape, whole_shapes},
    {"stac:geotransform", "stac:geotransform", reals},
    {"stac:time_start", "stac:time_start", times},
    {"stac:time_end", "stac:time_end", times},
    {"stac:centroid", "stac:centroid", wkb_points},
    {"rai:ele", "rai:elevation", whole_numbers},
    {"rai:elevation", "rai:elevation", whole_numbers},
    {"internal:stats", "geotiff:stats", as_it_is},
    {"geotiff:stats", "geotiff:stats", as_it_is},
};

const Mapping* mapping_of(std::string_view v1) {
  const auto found =
      std::find_if(std::begin(kMappings), std::end(kMappings), [&](const Mapping& m) { return m.v1 == v1; });
  return found == std::end(kMappings) ? nullptr : &*found;
}

/// A name that v2 allows and unescaped() reverts: other bytes than letters and digits become _ and two hex digits.
std::string escaped(std::string_view name) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  const bool utf8 = is_utf8(name);
  std::string out(kEscape);
  for (const char c : name) {
    const auto byte = static_cast<unsigned char>(c);
    const bool kept = byte >= 0x80 ? utf8 : std::isalnum(byte) != 0;
    if (kept) out += c;
    else out.append({'_', kDigits[byte >> 4], kDigits[byte & 15]});
  }
  return out;
}

/// Reverts escaped(); nullopt for a name that escaped() does not give.
std::optional<std::string> unescaped(std::string_view name) {
  if (!name.starts_with(kEscape)) return std::nullopt;
  std::string out;
  for (std::size_t i = kEscape.size(); i < name.size(); ++i) {
    if (name[i] != '_') {
      out += name[i];
      continue;
    }
    unsigned byte = 0;
    const char* digits = name.data() + i + 1;
    if (name.size() - i < 3 || std::from_chars(digits, digits + 2, byte, 16).ptr != digits + 2) return std::nullopt;
    out += static_cast<char>(byte);
    i += 2;
  }
  return escaped(out) == name ? std::optional(out) : std::nullopt;
}

/// Collects the columns of a table, whose names must be unique.
class Columns {
 public:
  void add(const std::string& name, Cells values) {
    if (schema_.end() != std::find_if(schema_.begin(), schema_.end(), [&](const auto& f) { return f->name() == name; }))
      throw SchemaError("two columns get the name " + in_quotes(name));
    schema_.push_back(arrow::field(name, values->type()));
    values_.push_back(std::move(values));
  }

  std::shared_ptr<arrow::Table> finish(int64_t num_rows) {
    if (values_.empty()) return nullptr;
    return arrow::Table::Make(arrow::schema(std::move(schema_)), std::move(values_), num_rows);
  }

 private:
  arrow::FieldVector schema_;
  arrow::ArrayVector values_;
};

/// The v2 name of a column without a counterpart there.
std::string v2_name(const std::string& name) {
  const bool taken = name == kSplit || name.starts_with(kEscape);
  return taken || !why_bad_key(name).empty() ? escaped(name) : name;
}

Cells seconds(const std::string& name, const Cells& values) {
  if (values->type_id() == arrow::Type::DATE32) return seconds(name, timestamps(name, values));
  if (values->type_id() != arrow::Type::TIMESTAMP) return values;
  const auto micro = std::static_pointer_cast<arrow::TimestampArray>(cast(
      name, values,
      arrow::timestamp(arrow::TimeUnit::MICRO, static_cast<const arrow::TimestampType&>(*values->type()).timezone())));
  arrow::Int64Builder whole_seconds;
  arrow::DoubleBuilder fractions;
  bool all_whole = true;
  for (int64_t row = 0; row < micro->length(); ++row) {
    if (micro->IsNull(row)) {
      check(whole_seconds.AppendNull());
      check(fractions.AppendNull());
      continue;
    }
    const int64_t time = micro->Value(row);
    all_whole = all_whole && time % kPerSecond == 0;
    check(whole_seconds.Append(time / kPerSecond));
    check(fractions.Append(static_cast<double>(time) / static_cast<double>(kPerSecond)));
  }
  if (all_whole) return check(whole_seconds.Finish());
  const Cells out = check(fractions.Finish());
  for (int64_t row = 0; row < out->length(); ++row) {
    if (!out->IsNull(row) && microseconds(real(*out, row)) != micro->Value(row))
      fail(name, row, "the time does not fit floating-point seconds exactly");
  }
  return out;
}

/// A number in the form that readers of v1 parse: with a decimal point, without an exponent.
std::string decimal(double value) {
  std::string out = plain_number_text(value);
  return std::isfinite(value) && out.find('.') == out.npos ? out + ".0" : out;
}

Cells wkt(const std::string& name, const Cells& values) {
  if (!arrow::is_base_binary_like(values->type_id()) || is_text(*values->type())) return values;
  arrow::StringBuilder out;
  for (int64_t row = 0; row < values->length(); ++row) {
    if (values->IsNull(row)) {
      check(out.AppendNull());
      continue;
    }
    const Centroid at = point(name, *values, row);
    check(out.Append("POINT (" + decimal(at.x) + " " + decimal(at.y) + ")"));
  }
  return check(out.Finish());
}

bool are_two_dimensional(const Cells& values) {
  if (values->type_id() != arrow::Type::LIST) return false;
  const auto& lists = static_cast<const arrow::ListArray&>(*values);
  for (int64_t row = 0; row < lists.length(); ++row) {
    if (!lists.IsNull(row) && lists.value_length(row) != 2) return false;
  }
  return true;
}

/// The last two entries of shapes, rows and columns; nullptr when a shape has fewer.
Cells rows_and_columns(const Cells& values) {
  arrow::ListBuilder out(arrow::default_memory_pool(), std::make_shared<arrow::Int64Builder>(),
                         arrow::list(arrow::field("item", arrow::int64())));
  auto& sizes = static_cast<arrow::Int64Builder&>(*out.value_builder());
  for (int64_t row = 0; row < values->length(); ++row) {
    if (values->IsNull(row)) {
      check(out.AppendNull());
      continue;
    }
    const auto shape = integers_cell(*values, row);
    if (!shape || shape->size() < 2) return nullptr;
    check(out.Append());
    check(sizes.AppendValues(shape->data() + shape->size() - 2, 2));
  }
  return check(out.Finish());
}

/// True when a Tortilla has both shapes and the raster shape follows from the tensor shape.
bool follows_from_tensor_shape(const arrow::Table& table, const std::string& name, const Cells& values) {
  const auto tensors = table.GetColumnByName(std::string(kTensorShape));
  if (name != kRasterShape || !tensors || are_two_dimensional(tensors->chunk(0))) return false;
  const Cells expected = rows_and_columns(tensors->chunk(0));
  return expected && expected->Equals(*whole_shapes(name, values));
}

/// The name of a column in the footer, which may be empty; nothing for a column that is derived for readers of levels.
std::optional<std::string> name_in_file(const LevelTable& footer, int column) {
  const std::string& shown = footer.columns()[static_cast<std::size_t>(column)].name;
  const DerivedColumn* made = footer.derived(column);
  if (made && made->kind == DerivedColumn::Kind::Constant)
    return shown.starts_with(kTortilla) ? std::optional(shown) : std::nullopt;
  if (made && made->from != shown) return std::nullopt;
  const auto& names = footer.file_columns();
  const auto found = std::find(names.begin(), names.end(), shown);
  return footer.stored_schema()->field(static_cast<int>(found - names.begin()))->name();
}

}  // namespace

std::shared_ptr<arrow::Table> footer_table(const LevelTable& footer) {
  arrow::FieldVector fields;
  std::vector<std::shared_ptr<arrow::ChunkedArray>> columns;
  for (int c = 0; c < static_cast<int>(footer.columns().size()); ++c) {
    const auto name = name_in_file(footer, c);
    if (!name) continue;
    arrow::ArrayVector groups;
    for (int g = 0; g < footer.num_row_groups(); ++g) groups.push_back(footer.decode(c, g));
    if (groups.empty()) throw FormatError("has no rows", footer.where());
    columns.push_back(std::make_shared<arrow::ChunkedArray>(std::move(groups)));
    fields.push_back(arrow::field(*name, columns.back()->type()));
  }
  return in_one_piece(arrow::Table::Make(arrow::schema(std::move(fields)), std::move(columns), footer.num_rows()));
}

std::shared_ptr<arrow::Table> from_footer_columns(const std::shared_ptr<arrow::Table>& footer) {
  if (!footer) return nullptr;
  const auto table = in_one_piece(footer);
  Columns out;
  for (int c = 0; c < table->num_columns(); ++c) {
    const std::string& name = table->field(c)->name();
    const Cells values = table->column(c)->chunk(0);
    const Mapping* mapping = mapping_of(name);
    if (is_place(name) || (name.starts_with(names::kInternal) && !mapping)) continue;
    if (name == kDataSplit && values->type_id() == arrow::Type::NA) continue;
    if (follows_from_tensor_shape(*table, name, values)) continue;
    if (!mapping) {
      out.add(v2_name(name), values);
      continue;
    }
    const bool taken = mapping->v1 != mapping->v2 && table->GetColumnByName(std::string(mapping->v2));
    if (taken && mapping->v2 != kSplit) out.add(escaped(name), values);
    else out.add(std::string(mapping->v2), mapping->convert(name, values));
  }
  return out.finish(table->num_rows());
}

std::shared_ptr<arrow::Table> to_footer_columns(const std::shared_ptr<arrow::Table>& level, const std::string& shape) {
  if (!level) return nullptr;
  const auto table = in_one_piece(level);
  Columns out;
  for (int c = 0; c < table->num_columns(); ++c) {
    const std::string& name = table->field(c)->name();
    const Cells values = table->column(c)->chunk(0);
    if (is_place(name) || name.starts_with(names::kInternal)) continue;
    if (const auto original = unescaped(name)) out.add(*original, values);
    else if (name == kSplit) out.add(std::string(kDataSplit), values);
    else if (name == kTensorShape && are_two_dimensional(values)) out.add(shape, values);
    else if (name == kTensorShape && shape == kRasterShape && !table->GetColumnByName(shape)) {
      if (const Cells flat = rows_and_columns(values)) out.add(shape, flat);  // the stac-tortilla profile requires it
      out.add(name, values);
    } else if (name == "stac:time_start" || name == "stac:time_end") out.add(name, seconds(name, values));
    else if (name == "stac:centroid") out.add(name, wkt(name, values));
    else out.add(name, values);
  }
  return out.finish(table->num_rows());
}

}  // namespace tacore
