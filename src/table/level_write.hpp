#pragma once

#include <arrow/type_fwd.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tacore/collection.hpp"

namespace tacore {

/// A level table for writing: `id`, `type`, then the columns of `user` (as long as `ids`; null: none) in their order.
std::shared_ptr<arrow::Table> make_level(std::span<const std::string> ids, std::span<const SampleType> types,
                                         const std::shared_ptr<arrow::Table>& user);

/// Appends a column to a table (null: none yet).
std::shared_ptr<arrow::Table> add_column(const std::shared_ptr<arrow::Table>& table, std::string_view name,
                                         const std::vector<int64_t>& values);
std::shared_ptr<arrow::Table> add_column(const std::shared_ptr<arrow::Table>& table, std::string_view name,
                                         const std::vector<std::string>& values);

std::shared_ptr<arrow::Table> add_column(const std::shared_ptr<arrow::Table>& table, std::string_view name,
                                         const std::vector<std::optional<std::string>>& values);

/// The columns of both tables side by side, which have equally many rows; null: none.
std::shared_ptr<arrow::Table> beside(const std::shared_ptr<arrow::Table>& left,
                                     const std::shared_ptr<arrow::Table>& right);

/// The rows [begin, end) of a table.
std::shared_ptr<arrow::Table> slice_rows(const std::shared_ptr<arrow::Table>& table, int64_t begin, int64_t end);

/// Name, type and (empty) description of each column, as `taco:field_schema` states them.
std::vector<FieldDescription> describe_fields(const arrow::Table& table);

}  // namespace tacore
