#include "table/stored_table.hpp"

#include <arrow/table.h>
#include <arrow/util/config.h>
#include <arrow/util/key_value_metadata.h>
#include <parquet/arrow/reader.h>
#include <parquet/exception.h>
#include <parquet/metadata.h>

#include <cmath>
#include <set>

#include "base/text.hpp"
#include "io/prefetched_source.hpp"
#include "table/arrow_error.hpp"
#include "table/arrow_source.hpp"
#include "table/bounded_pool.hpp"
#include "table/parquet_footer.hpp"
#include "table/parquet_pages.hpp"
#include "table/read_table.hpp"
#include "table/values.hpp"

namespace tacore {
namespace {

std::shared_ptr<arrow::Table> read_all(parquet::arrow::FileReader& reader, const ErrorContext& where) {
#if ARROW_VERSION_MAJOR >= 24
  return check(reader.ReadTable(), where);
#else
  std::shared_ptr<arrow::Table> out;
  check(reader.ReadTable(&out), where);
  return out;
#endif
}

/// Names must be unique, because writers find columns by name.
void check_names(const arrow::Table& table, const ErrorContext& where) {
  std::set<std::string> seen;
  for (const auto& name : column_names(table)) {
    if (!seen.insert(name).second) throw SchemaError("column " + in_quotes(name) + " occurs twice", where);
  }
}

std::shared_ptr<arrow::DataType> with_item_names(const std::shared_ptr<arrow::DataType>& type) {
  if (type->id() == arrow::Type::LIST || type->id() == arrow::Type::LARGE_LIST) {
    const auto& item = *type->field(0);
    auto named = arrow::field("item", with_item_names(item.type()), item.nullable());
    return type->id() == arrow::Type::LIST ? arrow::list(std::move(named)) : arrow::large_list(std::move(named));
  }
  if (type->id() != arrow::Type::STRUCT) return type;
  arrow::FieldVector fields;
  for (const auto& field : type->fields())
    fields.push_back(arrow::field(field->name(), with_item_names(field->type()), field->nullable()));
  return arrow::struct_(std::move(fields));
}

}  // namespace

std::shared_ptr<arrow::Table> with_item_names(const arrow::Table& table) {
  arrow::FieldVector fields;
  std::vector<std::shared_ptr<arrow::ChunkedArray>> columns;
  for (int c = 0; c < table.num_columns(); ++c) {
    const auto& column = table.column(c);
    const auto type = with_item_names(column->type());
    fields.push_back(arrow::field(table.field(c)->name(), type));
    columns.push_back(type->Equals(*column->type(), true) ? column : check(column->View(type)));
  }
  return arrow::Table::Make(arrow::schema(std::move(fields)), std::move(columns), table.num_rows());
}

StoredTable read_stored_table(const std::shared_ptr<const ByteSource>& source, const ErrorContext& where) {
  const auto metadata = parse_parquet_footer(read_parquet_tail(*source, where), where);
  // All columns are read: of a server with one request.
  const auto bytes = source->is_local() ? source : prefetched(source, {{0, source->size()}});
  const auto file = std::make_shared<ArrowSource>(bytes);
  StoredTable out;
  try {
    const auto reader = open_arrow_reader(file, bounded_pool(source->size()), metadata, where);
    const auto table = read_all(*reader, where);
    if (table->num_rows() != metadata->num_rows()) {
      throw FormatError("Parquet footer counts " + std::to_string(metadata->num_rows()) + " rows, its columns have " +
                            std::to_string(table->num_rows()),
                        where);
    }
    check_names(*table, where);
    out.table = in_one_piece(with_item_names(*table));
  } catch (const parquet::ParquetException& error) {
    file->rethrow();
    throw FormatError(std::string("Parquet: ") + error.what(), where);
  } catch (const Error&) {
    file->rethrow();
    throw;
  }
  if (const auto& stored = metadata->key_value_metadata()) {
    for (int64_t i = 0; i < stored->size(); ++i) {
      if (stored->key(i) != "ARROW:schema" && stored->key(i) != "pandas")
        out.metadata.emplace(stored->key(i), stored->value(i));
    }
  }
  return out;
}

std::vector<int64_t> whole_numbers(const arrow::Table& table, std::string_view name, const ErrorContext& where) {
  std::vector<int64_t> out;
  for (const auto& value : read_values(*find_column(table, std::string(name), where.path))) {
    const auto* whole = value.get<int64_t>();
    const auto* real = value.get<double>();
    const bool is_whole = whole || (real && std::trunc(*real) == *real && std::abs(*real) < 0x1p62);
    if (!is_whole) {
      throw FormatError("row " + std::to_string(out.size()) + ": " + std::string(name) + " is not a whole number",
                        where);
    }
    out.push_back(whole ? *whole : static_cast<int64_t>(*real));
  }
  return out;
}

}  // namespace tacore
