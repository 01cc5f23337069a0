#include "table/read_table.hpp"

#include <arrow/array.h>
#include <arrow/array/builder_base.h>
#include <arrow/csv/api.h>
#include <arrow/io/file.h>
#include <arrow/json/api.h>
#include <arrow/table.h>
#include <arrow/type.h>
#include <arrow/util/config.h>
#include <parquet/arrow/reader.h>
#include <parquet/exception.h>

#include <cerrno>
#include <numeric>

#include "base/text.hpp"
#include "table/arrow_error.hpp"
#include "table/cells.hpp"

namespace tacore {
namespace {

std::shared_ptr<arrow::Table> read_parquet(const std::shared_ptr<arrow::io::ReadableFile>& file) {
  std::unique_ptr<parquet::arrow::FileReader> reader =
      check(parquet::arrow::OpenFile(file, arrow::default_memory_pool()));
#if ARROW_VERSION_MAJOR >= 24
  return check(reader->ReadTable());
#else
  std::shared_ptr<arrow::Table> out;
  check(reader->ReadTable(&out));
  return out;
#endif
}

std::shared_ptr<arrow::Table> read_csv(const std::shared_ptr<arrow::io::ReadableFile>& file) {
  auto convert = arrow::csv::ConvertOptions::Defaults();
  convert.strings_can_be_null = true;
  convert.quoted_strings_can_be_null = false;
  convert.null_values = {""};
  auto parse = arrow::csv::ParseOptions::Defaults();
  parse.newlines_in_values = true;
  auto read = arrow::csv::ReadOptions::Defaults();
  read.use_threads = false;
  return check(
      check(arrow::csv::TableReader::Make(arrow::io::default_io_context(), file, read, parse, convert))->Read());
}

std::shared_ptr<arrow::Table> read_json_lines(const std::shared_ptr<arrow::io::ReadableFile>& file) {
  auto read = arrow::json::ReadOptions::Defaults();
  read.use_threads = false;
  return check(check(arrow::json::TableReader::Make(arrow::default_memory_pool(), file, read,
                                                    arrow::json::ParseOptions::Defaults()))
                   ->Read());
}

const arrow::Array& array_of(const arrow::Table& table, int column) { return *table.column(column)->chunk(0); }

}  // namespace

std::shared_ptr<arrow::Table> in_one_piece(const std::shared_ptr<arrow::Table>& table) {
  auto out = check(table->CombineChunks());
  for (int c = 0; c < out->num_columns(); ++c) {
    if (out->column(c)->num_chunks() == 1) continue;
    const auto none = check(arrow::MakeEmptyArray(out->column(c)->type()));
    out = check(out->SetColumn(c, out->field(c), std::make_shared<arrow::ChunkedArray>(none)));
  }
  return out;
}

std::shared_ptr<arrow::Table> read_table(const std::string& path) {
  const auto file = arrow::io::ReadableFile::Open(path);
  if (!file.ok()) throw IoError("cannot open", {.path = path}, ENOENT);
  try {
    std::shared_ptr<arrow::Table> out;
    if (ends_with_ignoring_case(path, ".parquet")) {
      out = read_parquet(*file);
    } else if (ends_with_ignoring_case(path, ".csv")) {
      out = read_csv(*file);
    } else if (ends_with_ignoring_case(path, ".jsonl")) {
      out = read_json_lines(*file);
    } else {
      throw FormatError("not a folder, .parquet, .csv or .jsonl", {.path = path});
    }
    return in_one_piece(out);
  } catch (const parquet::ParquetException& error) {
    throw FormatError(std::string("Parquet: ") + error.what(), {.path = path});
  } catch (const FormatError& error) {
    throw FormatError(error.message(), {.path = path});
  }
}

std::shared_ptr<arrow::Array> find_column(const arrow::Table& table, const std::string& name, const std::string& path) {
  const int column = table.schema()->GetFieldIndex(name);
  if (column >= 0) return table.column(column)->chunk(0);
  throw SchemaError("no column " + quoted(name) + ": " + join(column_names(table), ", "), {.path = path});
}

std::vector<std::optional<std::string>> text_column(const arrow::Table& table, const std::string& name,
                                                    const std::string& path) {
  const auto column = find_column(table, name, path);
  const auto& values = *column;
  if (!is_text(*values.type()) && values.null_count() < values.length()) {
    throw SchemaError("column " + quoted(name) + " has type " + type_name(*values.type()) + ", text expected",
                      {.path = path});
  }
  std::vector<std::optional<std::string>> out;
  out.reserve(static_cast<std::size_t>(values.length()));
  for (int64_t row = 0; row < values.length(); ++row) {
    const auto cell = text_cell(values, row);
    out.push_back(cell ? std::optional<std::string>(*cell) : std::nullopt);
  }
  return out;
}

std::shared_ptr<arrow::Table> take_rows(const arrow::Table& table, const std::vector<int64_t>& rows,
                                        const std::vector<int>& columns) {
  arrow::FieldVector fields;
  arrow::ArrayVector arrays;
  for (const int c : columns) {
    const auto& values = array_of(table, c);
    auto builder = check(arrow::MakeBuilder(values.type()));
    check(builder->Reserve(static_cast<int64_t>(rows.size())));
    const arrow::ArraySpan span(*values.data());
    for (std::size_t i = 0; i < rows.size();) {
      if (rows[i] < 0) {
        check(builder->AppendNull());
        ++i;
        continue;
      }
      std::size_t end = i + 1;  // neighbours at once
      while (end < rows.size() && rows[end] == rows[end - 1] + 1) ++end;
      check(builder->AppendArraySlice(span, rows[i], static_cast<int64_t>(end - i)));
      i = end;
    }
    arrays.push_back(check(builder->Finish()));
    fields.push_back(table.field(c));
  }
  return arrow::Table::Make(arrow::schema(std::move(fields)), std::move(arrays), static_cast<int64_t>(rows.size()));
}

std::shared_ptr<arrow::Table> take_rows(const arrow::Table& table, const std::vector<int64_t>& rows) {
  std::vector<int> columns(static_cast<std::size_t>(table.num_columns()));
  std::iota(columns.begin(), columns.end(), 0);
  return take_rows(table, rows, columns);
}

int64_t count_values(const arrow::Table& table, int column, const std::vector<int64_t>& rows) {
  const auto& values = array_of(table, column);
  int64_t out = 0;
  for (const int64_t row : rows) out += row >= 0 && !values.IsNull(row) ? 1 : 0;
  return out;
}

std::vector<std::string> column_names(const arrow::Table& table) { return table.schema()->field_names(); }

}  // namespace tacore
