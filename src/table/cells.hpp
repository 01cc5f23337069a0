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
/// Cells of an Arrow array of any string type, dictionaries of them included, or any integer type; nullopt for null.
std::optional<std::string_view> text_cell(const arrow::Array& array, int64_t row);
/// The same for bytes, text among them.
std::optional<std::string_view> binary_cell(const arrow::Array& array, int64_t row);
std::optional<int64_t> integer_cell(const arrow::Array& array, int64_t row);
/// A list of integers, of any type of list; nullopt for null and for one that holds null.
std::optional<std::vector<int64_t>> integers_cell(const arrow::Array& array, int64_t row);
/// The same of numbers.
std::optional<std::vector<double>> numbers_cell(const arrow::Array& array, int64_t row);
/// A number of any type.
std::optional<double> number_cell(const arrow::Array& array, int64_t row);

/// The first row whose text is not UTF-8; nullopt when all is, and for columns of other types.
std::optional<int64_t> first_not_utf8(const arrow::Array& array);

/// The Arrow name of a type, with list items called "item" whatever the file calls them.
std::string type_name(const arrow::DataType& type);

}  // namespace tacore
