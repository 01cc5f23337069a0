#include "table/cells.hpp"

#include <arrow/array.h>
#include <arrow/type.h>

#include <type_traits>
#include <utility>

#include "base/text.hpp"

namespace tacore {

bool is_text(const arrow::DataType& type) {
  if (type.id() == arrow::Type::DICTIONARY) {
    return is_text(*static_cast<const arrow::DictionaryType&>(type).value_type());
  }
  return type.id() == arrow::Type::STRING || type.id() == arrow::Type::LARGE_STRING ||
         type.id() == arrow::Type::STRING_VIEW;
}

std::optional<std::string_view> text_cell(const arrow::Array& array, int64_t row) {
  if (array.IsNull(row)) return std::nullopt;
  switch (array.type_id()) {
    case arrow::Type::STRING: return static_cast<const arrow::StringArray&>(array).GetView(row);
    case arrow::Type::LARGE_STRING: return static_cast<const arrow::LargeStringArray&>(array).GetView(row);
    case arrow::Type::STRING_VIEW: return static_cast<const arrow::StringViewArray&>(array).GetView(row);
    case arrow::Type::DICTIONARY: {
      const auto& encoded = static_cast<const arrow::DictionaryArray&>(array);
      return text_cell(*encoded.dictionary(), encoded.GetValueIndex(row));
    }
    default: return std::nullopt;
  }
}

std::optional<std::string_view> binary_cell(const arrow::Array& array, int64_t row) {
  if (array.IsNull(row)) return std::nullopt;
  switch (array.type_id()) {
    case arrow::Type::BINARY: return static_cast<const arrow::BinaryArray&>(array).GetView(row);
    case arrow::Type::LARGE_BINARY: return static_cast<const arrow::LargeBinaryArray&>(array).GetView(row);
    case arrow::Type::BINARY_VIEW: return static_cast<const arrow::BinaryViewArray&>(array).GetView(row);
    case arrow::Type::FIXED_SIZE_BINARY: return static_cast<const arrow::FixedSizeBinaryArray&>(array).GetView(row);
    default: return text_cell(array, row);
  }
}

std::optional<int64_t> integer_cell(const arrow::Array& array, int64_t row) {
  if (array.IsNull(row)) return std::nullopt;
  switch (array.type_id()) {
    case arrow::Type::INT64: return static_cast<const arrow::Int64Array&>(array).Value(row);
    case arrow::Type::INT32: return static_cast<const arrow::Int32Array&>(array).Value(row);
    case arrow::Type::UINT64: {
      const uint64_t value = static_cast<const arrow::UInt64Array&>(array).Value(row);
      return value > INT64_MAX ? std::nullopt : std::optional(static_cast<int64_t>(value));
    }
    case arrow::Type::UINT32: return static_cast<const arrow::UInt32Array&>(array).Value(row);
    case arrow::Type::INT16: return static_cast<const arrow::Int16Array&>(array).Value(row);
    case arrow::Type::UINT16: return static_cast<const arrow::UInt16Array&>(array).Value(row);
    case arrow::Type::INT8: return static_cast<const arrow::Int8Array&>(array).Value(row);
    case arrow::Type::UINT8: return static_cast<const arrow::UInt8Array&>(array).Value(row);
    default: return std::nullopt;
  }
}

namespace {

template <class List, class Read>
auto list_of(const arrow::Array& array, int64_t row, const Read& read) {
  const auto& lists = static_cast<const List&>(array);
  std::optional<std::vector<std::decay_t<decltype(*read(array, row))>>> out(std::in_place);
  for (int64_t i = 0; i < lists.value_length(row); ++i) {
    const auto value = read(*lists.values(), lists.value_offset(row) + i);
    if (!value) return decltype(out)();
    out->push_back(*value);
  }
  return out;
}

template <class Read>
auto list_cell(const arrow::Array& array, int64_t row, const Read& read)
    -> decltype(list_of<arrow::ListArray>(array, row, read)) {
  if (array.IsNull(row)) return std::nullopt;
  switch (array.type_id()) {
    case arrow::Type::LIST: return list_of<arrow::ListArray>(array, row, read);
    case arrow::Type::LARGE_LIST: return list_of<arrow::LargeListArray>(array, row, read);
    case arrow::Type::FIXED_SIZE_LIST: return list_of<arrow::FixedSizeListArray>(array, row, read);
    default: return std::nullopt;
  }
}

}  // namespace

std::optional<std::vector<int64_t>> integers_cell(const arrow::Array& array, int64_t row) {
  return list_cell(array, row, integer_cell);
}

std::optional<std::vector<double>> numbers_cell(const arrow::Array& array, int64_t row) {
  return list_cell(array, row, number_cell);
}

std::optional<double> number_cell(const arrow::Array& array, int64_t row) {
  if (array.IsNull(row)) return std::nullopt;
  if (array.type_id() == arrow::Type::DOUBLE) return static_cast<const arrow::DoubleArray&>(array).Value(row);
  if (array.type_id() == arrow::Type::FLOAT) return static_cast<const arrow::FloatArray&>(array).Value(row);
  const auto integer = integer_cell(array, row);
  return integer ? std::optional(static_cast<double>(*integer)) : std::nullopt;
}

std::optional<int64_t> first_not_utf8(const arrow::Array& array) {
  if (!is_text(*array.type())) return std::nullopt;
  for (int64_t row = 0; row < array.length(); ++row) {
    const auto text = text_cell(array, row);
    if (text && !is_utf8(*text)) return row;
  }
  return std::nullopt;
}

std::string type_name(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::LIST:
    case arrow::Type::LARGE_LIST:
      return (type.id() == arrow::Type::LIST ? "list<item: " : "large_list<item: ") +
             type_name(*type.field(0)->type()) + ">";
    case arrow::Type::FIXED_SIZE_LIST:
      return "fixed_size_list<item: " + type_name(*type.field(0)->type()) + ">[" +
             std::to_string(static_cast<const arrow::FixedSizeListType&>(type).list_size()) + "]";
    case arrow::Type::STRUCT: {
      std::string out = "struct<";
      for (const auto& field : type.fields()) {
        if (out.size() > 7) out += ", ";
        out += field->name() + ": " + type_name(*field->type());
      }
      return out + ">";
    }
    default: return type.ToString();
  }
}

}  // namespace tacore
