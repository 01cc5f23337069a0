#include "table/values.hpp"

#include <arrow/array.h>
#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_nested.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/type.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "base/text.hpp"
#include "table/arrow_error.hpp"
#include "table/cells.hpp"
#include "table/encode.hpp"

namespace tacore {
namespace {

using Type = std::shared_ptr<arrow::DataType>;

/// Parses the name of a type from left to right.
class TypeParser {
 public:
  explicit TypeParser(std::string_view text) : text_(text), rest_(text) {}

  Type run() {
    Type out = type();
    if (!rest_.empty()) fail();
    return out;
  }

 private:
  [[noreturn]] void fail() const {
    throw SchemaError("type " + in_quotes(std::string(text_)) +
                      " is unknown; an Arrow type such as int64, double, string, timestamp[us] or list<item: double> "
                      "expected");
  }

  bool take(std::string_view word) {
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  void expect(std::string_view word) {
    if (!take(word)) fail();
  }
  std::string_view until(std::string_view ends) {
    const auto end = rest_.find_first_of(ends);
    if (end == rest_.npos) fail();
    const auto out = rest_.substr(0, end);
    rest_.remove_prefix(end);
    return out;
  }
  int number() {
    int out = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), out);
    if (error != std::errc()) fail();
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return out;
  }

  Type type() {
    if (++nesting_ > kMaxNesting) fail();
    Type out = one_type();
    --nesting_;
    return out;
  }

  Type one_type() {
    const auto end = rest_.find_first_of("[(<,>");
    const std::string word = lower(rest_.substr(0, end));
    rest_.remove_prefix(word.size());
    static const std::map<std::string, Type> simple{
        {"null", arrow::null()},      {"bool", arrow::boolean()},
        {"int8", arrow::int8()},      {"int16", arrow::int16()},
        {"int32", arrow::int32()},    {"int64", arrow::int64()},
        {"uint8", arrow::uint8()},    {"uint16", arrow::uint16()},
        {"uint32", arrow::uint32()},  {"uint64", arrow::uint64()},
        {"float", arrow::float32()},  {"float32", arrow::float32()},
        {"double", arrow::float64()}, {"float64", arrow::float64()},
        {"string", arrow::utf8()},    {"large_string", arrow::large_utf8()},
        {"binary", arrow::binary()},  {"large_binary", arrow::large_binary()}};
    if (const auto found = simple.find(word); found != simple.end()) return found->second;
    if (word == "date32") return take("[day]"), arrow::date32();
    if (word == "timestamp") return timestamp();
    if (word == "decimal128") return decimal();
    if (word == "list" || word == "large_list") {
      expect("<");
      Type items = item();
      expect(">");
      return word == "list" ? arrow::list(items) : arrow::large_list(items);
    }
    if (word == "fixed_size_list") {
      expect("<");
      Type items = item();
      expect(">[");
      const int size = number();
      expect("]");
      return arrow::fixed_size_list(items, size);
    }
    if (word == "struct") return structure();
    fail();
  }

  Type timestamp() {
    expect("[");
    const std::string_view unit = until(",]");
    std::string zone;
    if (take(", tz=")) zone = until("]");
    expect("]");
    static constexpr std::string_view names[] = {"s", "ms", "us", "ns"};  // by arrow::TimeUnit::type
    for (const auto candidate :
         {arrow::TimeUnit::SECOND, arrow::TimeUnit::MILLI, arrow::TimeUnit::MICRO, arrow::TimeUnit::NANO}) {
      if (unit == names[candidate]) return arrow::timestamp(candidate, zone);
    }
    fail();
  }

  Type decimal() {
    expect("(");
    const int precision = number();
    expect(", ");
    const int scale = number();
    expect(")");
    return check(arrow::Decimal128Type::Make(precision, scale));
  }

  /// A field such as `item: int64`, whatever the name of the item.
  Type item() {
    until(":");
    expect(": ");
    return type();
  }

  Type structure() {
    expect("<");
    arrow::FieldVector fields;
    while (!take(">")) {
      if (!fields.empty()) expect(", ");
      const std::string name(until(":"));
      expect(": ");
      fields.push_back(arrow::field(name, type()));
    }
    return arrow::struct_(fields);
  }

  static constexpr int kMaxNesting = 64;  // the limit of this parser; check_column() has that of datasets

  std::string_view text_, rest_;
  int nesting_ = 0;
};

/// The name of a value's type in messages.
std::string kind(const Value& value) { return infer_type(value)->ToString(); }

int64_t scaled(Timestamp time, arrow::TimeUnit::type unit) {
  const auto floored = [&](int64_t by) { return time.microseconds / by - (time.microseconds % by < 0 ? 1 : 0); };
  switch (unit) {
    case arrow::TimeUnit::SECOND: return floored(1000000);
    case arrow::TimeUnit::MILLI: return floored(1000);
    case arrow::TimeUnit::MICRO: return time.microseconds;
    case arrow::TimeUnit::NANO: break;
  }
  if (time.microseconds > std::numeric_limits<int64_t>::max() / 1000 ||
      time.microseconds < std::numeric_limits<int64_t>::min() / 1000) {
    throw SchemaError("time " + time.to_string() + " is out of the range of timestamp[ns]");
  }
  return time.microseconds * 1000;
}

template <class ArrowType>
bool append_integer(arrow::ArrayBuilder& builder, const Value& value) {
  using T = typename ArrowType::c_type;
  const auto* number = value.get<int64_t>();
  if (!number || !std::in_range<T>(*number)) return false;
  check(static_cast<arrow::NumericBuilder<ArrowType>&>(builder).Append(static_cast<T>(*number)));
  return true;
}

template <class ArrowType>
bool append_real(arrow::ArrayBuilder& builder, const Value& value) {
  const auto* real = value.get<double>();
  const auto* whole = value.get<int64_t>();
  if (!real && !whole) return false;
  const double number = real ? *real : static_cast<double>(*whole);
  if (std::isfinite(number) && std::abs(number) > std::numeric_limits<typename ArrowType::c_type>::max()) return false;
  check(
      static_cast<arrow::NumericBuilder<ArrowType>&>(builder).Append(static_cast<typename ArrowType::c_type>(number)));
  return true;
}

template <class Builder>
bool append_text(arrow::ArrayBuilder& builder, const Value& value) {
  const auto* text = value.get<std::string>();
  if (text) check(static_cast<Builder&>(builder).Append(*text));
  return text != nullptr;
}

template <class Builder>
bool append_binary(arrow::ArrayBuilder& builder, const Value& value) {
  const auto* binary = value.get<Binary>();
  if (binary) check(static_cast<Builder&>(builder).Append(binary->bytes));
  return binary != nullptr;
}

bool append(arrow::ArrayBuilder& builder, const Value& value);

template <class Builder>
bool append_list(arrow::ArrayBuilder& builder, const Value& value) {
  const auto* items = value.get<Value::List>();
  if (!items) return false;
  auto& lists = static_cast<Builder&>(builder);
  check(lists.Append());
  for (const auto& item : *items) {
    if (!append(*lists.value_builder(), item)) return false;
  }
  return true;
}

bool append_fixed(arrow::ArrayBuilder& builder, const Value& value) {
  const auto* items = value.get<Value::List>();
  const int size = static_cast<const arrow::FixedSizeListType&>(*builder.type()).list_size();
  return items && items->size() == static_cast<std::size_t>(size) &&
         append_list<arrow::FixedSizeListBuilder>(builder, value);
}

bool append_struct(arrow::ArrayBuilder& builder, const Value& value) {
  const auto* fields = value.get<Struct>();
  if (!fields) return false;
  auto& out = static_cast<arrow::StructBuilder&>(builder);
  check(out.Append());
  const Type type = builder.type();  // each call creates it anew
  std::size_t used = 0;
  for (int f = 0; f < out.num_fields(); ++f) {
    const std::string& name = type->field(f)->name();
    const auto found = std::find_if(fields->begin(), fields->end(), [&](const auto& v) { return v.first == name; });
    if (found == fields->end()) {
      check(out.field_builder(f)->AppendNull());
      continue;
    }
    if (!append(*out.field_builder(f), found->second)) return false;
    ++used;
  }
  return used == fields->size();
}

/// Appends a value; false when the type does not hold it.
bool append(arrow::ArrayBuilder& builder, const Value& value) {
  if (value.is_null()) return check(builder.AppendNull()), true;
  switch (builder.type()->id()) {
    case arrow::Type::BOOL: {
      const auto* truth = value.get<bool>();
      if (truth) check(static_cast<arrow::BooleanBuilder&>(builder).Append(*truth));
      return truth != nullptr;
    }
    case arrow::Type::INT8: return append_integer<arrow::Int8Type>(builder, value);
    case arrow::Type::INT16: return append_integer<arrow::Int16Type>(builder, value);
    case arrow::Type::INT32: return append_integer<arrow::Int32Type>(builder, value);
    case arrow::Type::INT64: return append_integer<arrow::Int64Type>(builder, value);
    case arrow::Type::UINT8: return append_integer<arrow::UInt8Type>(builder, value);
    case arrow::Type::UINT16: return append_integer<arrow::UInt16Type>(builder, value);
    case arrow::Type::UINT32: return append_integer<arrow::UInt32Type>(builder, value);
    case arrow::Type::UINT64: return append_integer<arrow::UInt64Type>(builder, value);
    case arrow::Type::FLOAT: return append_real<arrow::FloatType>(builder, value);
    case arrow::Type::DOUBLE: return append_real<arrow::DoubleType>(builder, value);
    case arrow::Type::STRING: return append_text<arrow::StringBuilder>(builder, value);
    case arrow::Type::LARGE_STRING: return append_text<arrow::LargeStringBuilder>(builder, value);
    case arrow::Type::BINARY: return append_binary<arrow::BinaryBuilder>(builder, value);
    case arrow::Type::LARGE_BINARY: return append_binary<arrow::LargeBinaryBuilder>(builder, value);
    case arrow::Type::TIMESTAMP: {
      const auto* time = value.get<Timestamp>();
      if (!time) return false;
      const auto unit = static_cast<const arrow::TimestampType&>(*builder.type()).unit();
      check(static_cast<arrow::TimestampBuilder&>(builder).Append(scaled(*time, unit)));
      return true;
    }
    case arrow::Type::DATE32: {
      const auto* time = value.get<Timestamp>();
      if (!time) return false;
      const int64_t seconds = scaled(*time, arrow::TimeUnit::SECOND);
      const int64_t days = seconds / 86400 - (seconds % 86400 < 0 ? 1 : 0);
      check(static_cast<arrow::Date32Builder&>(builder).Append(static_cast<int32_t>(days)));
      return true;
    }
    case arrow::Type::LIST: return append_list<arrow::ListBuilder>(builder, value);
    case arrow::Type::LARGE_LIST: return append_list<arrow::LargeListBuilder>(builder, value);
    case arrow::Type::FIXED_SIZE_LIST: return append_fixed(builder, value);
    case arrow::Type::STRUCT: return append_struct(builder, value);
    default: return false;
  }
}

template <class Array>
Value read_list(const arrow::Array& array, int64_t row) {
  const auto& lists = static_cast<const Array&>(array);
  Value::List out;
  for (int64_t i = 0; i < lists.value_length(row); ++i)
    out.push_back(read_value(*lists.values(), lists.value_offset(row) + i));
  return out;
}

/// Throws SchemaError for times that do not fit 64 bits of microseconds.
Timestamp time_of(int64_t ticks, int64_t microseconds_each) {
  Timestamp out;
  if (__builtin_mul_overflow(ticks, microseconds_each, &out.microseconds)) {
    throw SchemaError("a time is out of the range of timestamp[us]");
  }
  return out;
}

Value read_timestamp(const arrow::Array& array, int64_t row) {
  const int64_t ticks = static_cast<const arrow::TimestampArray&>(array).Value(row);
  switch (static_cast<const arrow::TimestampType&>(*array.type()).unit()) {
    case arrow::TimeUnit::SECOND: return time_of(ticks, 1000000);
    case arrow::TimeUnit::MILLI: return time_of(ticks, 1000);
    case arrow::TimeUnit::MICRO: return Timestamp{ticks};
    case arrow::TimeUnit::NANO: break;
  }
  return Timestamp{ticks / 1000 - (ticks % 1000 < 0 ? 1 : 0)};
}

}  // namespace

std::shared_ptr<arrow::DataType> parse_type(std::string_view name) { return TypeParser(name).run(); }

std::shared_ptr<arrow::DataType> infer_type(const Value& value) {
  if (value.is_null()) return arrow::null();
  if (value.get<bool>()) return arrow::boolean();
  if (value.get<int64_t>()) return arrow::int64();
  if (value.get<double>()) return arrow::float64();
  if (value.get<std::string>()) return arrow::utf8();
  if (value.get<Binary>()) return arrow::binary();
  if (value.get<Timestamp>()) return arrow::timestamp(arrow::TimeUnit::MICRO);
  if (const auto* fields = value.get<Struct>()) {
    arrow::FieldVector out;
    for (const auto& [name, field] : *fields) out.push_back(arrow::field(name, infer_type(field)));
    return arrow::struct_(out);
  }
  Type items = arrow::null();
  for (const auto& item : *value.get<Value::List>()) {
    const Type type = infer_type(item);
    Type both = common_type(items, type);
    if (!both) throw SchemaError("a list of " + items->ToString() + " and " + type->ToString() + "; one type expected");
    items = std::move(both);
  }
  return arrow::list(items);
}

namespace {

bool is_bytes(const arrow::DataType& type) {
  return type.id() == arrow::Type::BINARY || type.id() == arrow::Type::LARGE_BINARY;
}

}  // namespace

std::shared_ptr<arrow::DataType> common_type(const std::shared_ptr<arrow::DataType>& a,
                                             const std::shared_ptr<arrow::DataType>& b) {
  if (a->Equals(*b)) return a;
  auto options = arrow::Field::MergeOptions::Permissive();
  options.promote_dictionary = false;
  if (is_text(*a) ? is_bytes(*b) : is_text(*b) && is_bytes(*a)) return nullptr;  // Arrow would convert text to bytes
  const auto merged = arrow::field("", a)->MergeWith(arrow::field("", b), options);
  return merged.ok() ? (*merged)->type() : nullptr;
}

std::shared_ptr<arrow::Array> make_array(const std::vector<const Value*>& values,
                                         const std::shared_ptr<arrow::DataType>& type) {
  const auto builder = check(arrow::MakeBuilder(type));
  check(builder->Reserve(static_cast<int64_t>(values.size())));
  static const Value null;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Value& value = values[i] ? *values[i] : null;
    if (append(*builder, value)) continue;
    throw SchemaError("value " + std::to_string(i) + " is " + kind(value) + ", which " + type->ToString() +
                      " does not hold");
  }
  return check(builder->Finish());
}

Value read_value(const arrow::Array& array, int64_t row) {
  if (array.IsNull(row)) return {};
  switch (array.type_id()) {
    case arrow::Type::BOOL: return static_cast<const arrow::BooleanArray&>(array).Value(row);
    case arrow::Type::FLOAT: return static_cast<double>(static_cast<const arrow::FloatArray&>(array).Value(row));
    case arrow::Type::DOUBLE: return static_cast<const arrow::DoubleArray&>(array).Value(row);
    case arrow::Type::BINARY: return Binary{std::string(static_cast<const arrow::BinaryArray&>(array).GetView(row))};
    case arrow::Type::LARGE_BINARY:
      return Binary{std::string(static_cast<const arrow::LargeBinaryArray&>(array).GetView(row))};
    case arrow::Type::TIMESTAMP: return read_timestamp(array, row);
    case arrow::Type::DATE32: return time_of(static_cast<const arrow::Date32Array&>(array).Value(row), 86400000000);
    case arrow::Type::LIST: return read_list<arrow::ListArray>(array, row);
    case arrow::Type::LARGE_LIST: return read_list<arrow::LargeListArray>(array, row);
    case arrow::Type::FIXED_SIZE_LIST: return read_list<arrow::FixedSizeListArray>(array, row);
    case arrow::Type::STRUCT: {
      const auto& fields = static_cast<const arrow::StructArray&>(array);
      Struct out;
      for (int f = 0; f < fields.num_fields(); ++f)
        out.emplace_back(array.type()->field(f)->name(), read_value(*fields.field(f), row));
      return out;
    }
    default: break;
  }
  if (const auto number = integer_cell(array, row)) return *number;
  const auto text = is_text(*array.type()) ? text_cell(array, row) : std::nullopt;
  if (text) return std::string(*text);
  return cell_as_text(array, row).value_or("");
}

std::vector<Value> read_values(const arrow::Array& column) {
  std::vector<Value> out;
  out.reserve(static_cast<std::size_t>(column.length()));
  for (int64_t row = 0; row < column.length(); ++row) out.push_back(read_value(column, row));
  return out;
}

std::vector<Value> read_values(const arrow::ChunkedArray& column) {
  std::vector<Value> out;
  out.reserve(static_cast<std::size_t>(column.length()));
  for (const auto& chunk : column.chunks()) {
    auto values = read_values(*chunk);
    std::move(values.begin(), values.end(), std::back_inserter(out));
  }
  return out;
}

}  // namespace tacore
