#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tacore {

/// True for columns that text_cell() reads.
bool is_text(const arrow::DataType& type);
/// A cell as text (any string type, dictionaries included) or as integer (any integer type); nullopt for null.
std::optional<std::string_view> text_cell(const arrow::Array& array, int64_t row);
/// The bytes of a cell of any string or binary type; nullopt for null.
std::optional<std::string_view> binary_cell(const arrow::Array& array, int64_t row);
std::optional<int64_t> integer_cell(const arrow::Array& array, int64_t row);
/// The integers of a cell of any list type; nullopt for null and for a list that contains null.
std::optional<std::vector<int64_t>> integers_cell(const arrow::Array& array, int64_t row);
/// The numbers of a cell of any list type; nullopt for null and for a list that contains null.
std::optional<std::vector<double>> numbers_cell(const arrow::Array& array, int64_t row);
/// The number of a cell of any numeric type; nullopt for null.
std::optional<double> number_cell(const arrow::Array& array, int64_t row);

/// The first row whose text is not valid UTF-8; nullopt when there is none, and for columns of other types.
std::optional<int64_t> first_not_utf8(const arrow::Array& array);

/// The Arrow name of a type, e.g. "list<item: double>"; list items are called "item" whatever the file calls them.
std::string type_name(const arrow::DataType& type);

}  // namespace tacore
